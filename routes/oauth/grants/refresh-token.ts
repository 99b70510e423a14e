import { invalidRequest } from '../../../errors.ts'
import type { Grant } from '../grant.ts'
import { allowedProfile, profileOf } from '../profile.ts'
import { grantedScopes } from '../scope.ts'
import { continueFamily } from '../token-family.ts'

/** Exchanges a refresh token for new tokens, RFC 6749 §6. The scope may be narrower than that of the login. */
export const refreshToken: Grant = {
  grantType: 'refresh_token',
  async run(request) {
    const { parameters } = request
    if (!parameters.refresh_token) throw invalidRequest('refresh_token is missing')
    const { user, grantType, ...rest } = await continueFamily(request, parameters.refresh_token, allowed =>
      grantedScopes(parameters.scope, allowed)
    )
    const profile = grantType === 'password' ? profileOf(user) : allowedProfile(user, rest.scopes)
    return { ...rest, sub: user.id, epoch: user.tokenEpoch, profile }
  }
}
