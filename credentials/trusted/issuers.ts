import { readFile } from 'node:fs/promises'
import { type Static, Type } from 'typebox'
import { rights } from '../../db/accounts/roles.ts'
import { ArgumentError, StartError } from '../../errors.ts'
import { checkArgument } from '../../validator.ts'
import { isSecureUrl } from './keys.ts'

/** Signature algorithms with a public key, RFC 8725 §3.1. */
export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519'
]

const text = (description: string) => Type.String({ minLength: 1, description })
const secureUrl = (description: string) => Type.Refine(text(description), isSecureUrl)

/** Whether a text has only scopes of this service. */
const isScope = (scope: string): boolean =>
  scope.split(' ').every(name => rights.some(right => right === name))

/** An issuer whose access tokens the service accepts, with the names of RFC 8414 and RFC 9068. */
const TrustedIssuer = Type.Object(
  {
    /** `iss` of its tokens. */
    issuer: secureUrl('an https URL'),
    /** `aud` of the tokens that are meant for this service; one of them. */
    audience: Type.Union([text(''), Type.Array(text(''), { minItems: 1 })], {
      description: 'a text or an array of texts'
    }),
    /** Where its keys are; by default its metadata say it. */
    jwks_uri: Type.Optional(
      Type.Refine(text('an https URL or the path of a file'), uri => isSecureUrl(uri) || !URL.canParse(uri))
    ),
    /** With which it may sign. */
    algorithms: Type.Optional(
      Type.Array(Type.Enum(algorithms), { minItems: 1, description: `an array of ${algorithms.join(', ')}` })
    ),
    /** `JWT` also accepts access tokens that do not follow RFC 9068, such as those of Entra. */
    typ: Type.Optional(Type.Enum(['at+jwt', 'JWT'], { description: 'at+jwt or JWT' })),
    /** The claim that names who acts; `sub` by default. */
    subject: Type.Optional(text('the name of a claim')),
    /** The claim that has the scopes, and what its values mean; by default `scope`, as it is. */
    scopes: Type.Optional(
      Type.Object(
        { claim: text(''), map: Type.Optional(Type.Record(Type.String(), Type.String())) },
        { additionalProperties: false, description: 'an object with claim and, optionally, map' }
      )
    ),
    /** The scopes of every token, instead of a claim. */
    scope: Type.Optional(Type.Refine(text(`some of ${rights.join(', ')}`), isScope))
  },
  { additionalProperties: false }
)
export type TrustedIssuer = Static<typeof TrustedIssuer>

/** Reads the setting, JSON or the path of a file with it. Throws a StartError that names what is wrong. */
export async function readTrustedIssuers(given: string | undefined): Promise<TrustedIssuer[]> {
  if (given === undefined) return []
  try {
    const entries = JSON.parse(/^\s*\[/.test(given) ? given : await readFile(given, 'utf8'))
    if (!Array.isArray(entries)) throw new ArgumentError('it must be an array')
    const names = new Set(entries.map(entry => entry?.issuer))
    if (names.size < entries.length) throw new ArgumentError('two entries have the same issuer')
    return entries.map(checkEntry)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = error instanceof ArgumentError ? message : (code ?? 'it is not JSON')
    throw new StartError('PTS_BAD_ISSUERS', `TRUSTED_ISSUERS cannot be used: ${reason}`, { cause: error })
  }
}

function checkEntry(given: unknown, index: number): TrustedIssuer {
  const what = `entry ${index + 1}`
  const entry = checkArgument(what, TrustedIssuer, given)
  if (entry.scope && entry.scopes) throw new ArgumentError(`${what}: scope and scopes exclude each other`)
  const wrong = Object.entries(entry.scopes?.map ?? {}).find(([, scope]) => !isScope(scope))
  if (wrong) throw new ArgumentError(`${what}: scopes.map: ${wrong[0]} must be some of ${rights.join(', ')}`)
  return entry
}
