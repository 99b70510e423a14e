import { invalidRequest } from '../../../errors.ts'
import { grantedScopes } from '../scope.ts'
import type { Grant } from './grant.ts'
import { profileOf } from './password.ts'
import { continueFamily } from './token-family.ts'

/** Exchanges a refresh token for new tokens, RFC 6749 §6. The scope may be narrower than that of the login. */
export const refreshToken: Grant = {
  grantType: 'refresh_token',
  async run(request) {
    const { parameters, client } = request
    if (!parameters.refresh_token) throw invalidRequest('refresh_token is missing')
    const { user, ...rest } = await continueFamily(request, parameters.refresh_token, all =>
      grantedScopes(
        parameters.scope,
        all.filter(scope => client.scopes.includes(scope))
      )
    )
    return { ...rest, sub: user.id, epoch: user.tokenEpoch, profile: profileOf(user) }
  }
}
