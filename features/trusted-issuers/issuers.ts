import { array, exact, oneOf, record, sized, string } from 'decoders'
import { readRule } from '../../db/templates/rule.ts'
import { rights } from '../../domain/rights.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import { isSecureUrl } from '../../runtime/outgoing.ts'
import {
  anyObject,
  checkArgument,
  either,
  nonEmptyText,
  optional,
  type Shaped
} from '../../runtime/validator.ts'
import { readJsonList } from '../json-setting.ts'

/** Signature algorithms with a public key, RFC 8725 §3.1. */
export const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

const secureUrl = nonEmptyText.refine(isSecureUrl, '')

/** RFC 8414 §2. A revision records its author as `issuer#name`, so `#` in an issuer would be ambiguous. */
const isIssuer = (issuer: string): boolean => !/[?#]/.test(issuer)

/** Whether a text has only scopes of this service. */
const isScope = (scope: string): boolean =>
  scope.split(' ').every(name => rights.some(right => right === name))

/** An issuer whose access tokens the service accepts, with the names of RFC 8414 and RFC 9068. */
const TrustedIssuer = {
  /** `iss` of its tokens. */
  issuer: secureUrl.refine(isIssuer, '').describe('an https URL without ? and #'),
  /** `aud` must have one of these values. */
  audience: either(nonEmptyText, sized(array(nonEmptyText), { min: 1 })).describe(
    'a text or an array of texts'
  ),
  /** The place of its keys; by default, the metadata of the issuer name it. */
  jwks_uri: optional(nonEmptyText.refine(uri => isSecureUrl(uri) || !URL.canParse(uri), '')).describe(
    'an https URL or the path of a file'
  ),
  /** The algorithms that it may sign with. */
  algorithms: optional(sized(array(oneOf(algorithms)), { min: 1 })).describe(
    `an array of ${algorithms.join(', ')}`
  ),
  /** `JWT` also accepts access tokens that do not follow RFC 9068, such as those of Entra. */
  typ: optional(oneOf(['at+jwt', 'JWT'])).describe('at+jwt or JWT'),
  /** The claim that names the subject; `sub` by default. */
  subject: optional(nonEmptyText).describe('the name of a claim'),
  /** The claim that has the scopes, and a map from its values to scopes; by default `scope`, without a map. */
  scopes: optional(exact({ claim: nonEmptyText, map: optional(record(string)) })).describe(
    'an object with claim and, optionally, map'
  ),
  /** The scopes of every token, instead of a claim. */
  scope: optional(nonEmptyText.refine(isScope, '')).describe(`some of ${rights.join(', ')}`),
  /** The templates that its tokens may see and write; all by default. */
  where: optional(anyObject).describe('a filter, as in the API')
}
export type TrustedIssuer = Shaped<typeof TrustedIssuer>

const setting = { name: 'TRUSTED_ISSUERS', code: 'PTS_BAD_ISSUERS' } as const

/** Reads TRUSTED_ISSUERS. `own` is the issuer of this service. Throws StartError. */
export const readTrustedIssuers = (
  given: string | undefined,
  own: string | undefined
): Promise<TrustedIssuer[]> =>
  readJsonList(setting, given, (entry, what) => checkEntry(entry, what, own), ['issuer'])

function checkEntry(given: unknown, what: string, own: string | undefined): TrustedIssuer {
  const entry = checkArgument(what, TrustedIssuer, given)
  if (entry.issuer === own) throw new ArgumentError(`${what}: issuer must not be ISSUER, the service itself`)
  if (entry.scope && entry.scopes) throw new ArgumentError(`${what}: give scope or scopes, not both`)
  const wrong = Object.entries(entry.scopes?.map ?? {}).find(([, scope]) => !isScope(scope))
  if (wrong) throw new ArgumentError(`${what}: scopes.map: ${wrong[0]} must be some of ${rights.join(', ')}`)
  if (entry.where) readRule(entry.where, `${what}: where`)
  return entry
}
