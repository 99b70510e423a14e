import { array, boolean, oneOf, sized, string } from 'decoders'
import type { StoredClient } from '../db/accounts/clients.ts'
import { grantTypes, publicGrantTypes, scopes } from '../domain/rights.ts'
import { unprintable } from '../domain/text.ts'
import { ArgumentError } from '../runtime/host-errors.ts'
import { limited, matches, optional, type Shaped } from '../runtime/validator.ts'
import { findRedirectProblem } from './redirect-uris.ts'

const listOf = <Name extends string>(names: readonly Name[]) =>
  optional(sized(array(oneOf(names)), { min: 1 })).describe(`a list of some of ${names.join(', ')}`)

const flag = optional(boolean).describe('a boolean')

/** The rights of a client, all optional. */
export const ClientRights = {
  grantTypes: listOf(grantTypes),
  scopes: listOf(scopes),
  mayIntrospect: flag,
  redirectUris: optional(array(string)).describe('a list of URIs'),
  firstParty: flag,
  displayName: optional(limited(matches(new RegExp(`^[^${unprintable}]*$`, 'u')), 100)).describe(
    'a text of at most 100 characters without control characters'
  )
}
export type ClientRights = Shaped<typeof ClientRights>

/** A client to add. */
export const NewClient = {
  // VSCHAR, RFC 6749 appendix A.1, without the colon, which ends the id in HTTP Basic. With client_credentials the id
  // is the subject of tokens, so it must not look like the id of a user.
  id: matches(/^(?![0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$)[\x20-\x39\x3B-\x7E]+$/).describe(
    'a text of printable ASCII characters without a colon, and not a UUID'
  ),
  ...ClientRights,
  isPublic: flag
}
export type NewClient = Shaped<typeof NewClient>

/** Characters of a URI, and problems, that an error shows. */
const [maxShownLength, maxProblems] = [100, 20]

/**
 * Throws ArgumentError if values of a client contradict each other, or if a redirect URI cannot be registered.
 * `newUris` are the URIs to register. URIs that the client already has may stay when its grants change.
 */
export function checkCombination(
  client: Pick<StoredClient, 'isPublic' | 'grantTypes' | 'scopes' | 'mayIntrospect' | 'redirectUris'>,
  newUris: string[] = []
): void {
  const { isPublic, grantTypes, scopes, mayIntrospect, redirectUris } = client
  const redirects = grantTypes.includes('authorization_code')
  const addsUris = newUris.length > 0
  const mayHave = !isPublic || grantTypes.every(type => publicGrantTypes.includes(type))
  const problems = [
    isPublic && mayIntrospect && 'a public client may not introspect tokens',
    !mayHave && `a public client may only use the grants ${publicGrantTypes.join(' and ')}`,
    !redirects && scopes.includes('openid') && 'the scope openid requires the grant authorization_code',
    redirects && redirectUris.length === 0 && 'the grant authorization_code requires a redirect URI',
    !redirects && addsUris && 'a redirect URI requires the grant authorization_code',
    ...redirectUris.map(uri => {
      const problem = findRedirectProblem(uri)
      return problem && `the redirect URI ${JSON.stringify(uri.slice(0, maxShownLength))} ${problem}`
    })
  ].filter(problem => typeof problem === 'string')
  if (problems.length > 0) throw new ArgumentError(problems.slice(0, maxProblems).join('; '))
}

export const sortLike = (all: readonly string[], names: readonly string[]) =>
  all.filter(name => names.includes(name))
