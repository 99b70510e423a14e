import { findUserById } from '../../db/accounts/users.ts'
import { addChallenge, getToken } from '../../plugins/authentication/bearer-auth.ts'
import { invalidToken } from '../../runtime/errors.ts'
import type { Route } from '../route.ts'

/**
 * Returns the claims that the scopes of a token allow, OpenID Connect Core 1.0 §5.3, §5.4. Empty names are left out.
 * The authorization server itself answers, so the resource that the token is for does not matter, RFC 8707 §2.
 */
export const userinfo: Route = app => ({
  exposeHeadRoute: false,
  handler: async (request, reply) => {
    const { sub, scopes } = getToken(request)
    const user = await findUserById(app.productStore, sub)
    // A host may issue tokens for subjects that only it knows.
    if (!user) throw addChallenge(reply, invalidToken('the token has no user'), 'openid')
    const { email, firstName, lastName } = user
    return {
      sub,
      ...(scopes.includes('profile') && {
        name: `${firstName} ${lastName}`.trim() || undefined,
        given_name: firstName || undefined,
        family_name: lastName || undefined
      }),
      ...(scopes.includes('email') && { email })
    }
  }
})
