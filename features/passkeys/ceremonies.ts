/** Makes the options for passkeys, and checks the answers of browsers, by WebAuthn. It stores nothing. */
import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { invalidGrant } from '../../runtime/errors.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { importOptional, missingPackage } from '../../runtime/package/optional-package.ts'

/** The public part of a passkey. */
interface PasskeyKey {
  /** The id of the credential, base64url. */
  id: string
  /** COSE, RFC 9052 §7, base64url. */
  publicKey: string
  counter: number
}

/** The response of a browser, which is not checked yet. */
interface PasskeyResponse {
  id: string
  /** base64url. */
  challenge: string
  json: unknown
}

/** The id of a credential has at most 1023 bytes, WebAuthn Level 3 §4. */
const idPattern = /^[A-Za-z0-9_-]{1,1364}$/

/** Reads a response: `PublicKeyCredential.toJSON()` as text. Throws `invalid_grant` if it is malformed. */
export function readResponse(text: string): PasskeyResponse {
  try {
    const json = JSON.parse(text)
    const { challenge } = JSON.parse(Buffer.from(json.response.clientDataJSON, 'base64url').toString())
    if (idPattern.test(json.id) && typeof challenge === 'string') return { id: json.id, challenge, json }
  } catch {}
  throw invalidGrant('the response of the passkey is malformed')
}

/** EdDSA, ES256 and RS256, which every version of Node.js can verify. Devices have at least one of them. */
const supportedAlgorithmIDs = [-8, -7, -257]

/** Passkeys of one site, WebAuthn Level 3. The device must verify the user, with a PIN, a finger or a face. */
export class Passkeys {
  readonly #library: Library
  readonly #site: { expectedOrigin: string; expectedRPID: string }

  constructor(library: Library, { origin, hostname }: URL) {
    this.#library = library
    this.#site = { expectedOrigin: origin, expectedRPID: hostname }
  }

  /** Makes the options of `navigator.credentials.create`. `existing` are the ids of the user's passkeys. */
  creationOptions(user: { id: string; email: string; name: string }, existing: string[]) {
    return this.#library.generateRegistrationOptions({
      rpName: this.#site.expectedRPID,
      rpID: this.#site.expectedRPID,
      userID: new TextEncoder().encode(user.id),
      userName: user.email,
      userDisplayName: user.name,
      supportedAlgorithmIDs,
      excludeCredentials: existing.map(id => ({ id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' }
    })
  }

  /** Makes the options of `navigator.credentials.get`. They name no user, because the device knows its users. */
  requestOptions() {
    return this.#library.generateAuthenticationOptions({
      rpID: this.#site.expectedRPID,
      userVerification: 'required'
    })
  }

  /** Checks a new passkey. Returns its public part. Throws `invalid_grant`. */
  async checkCreation({ json, challenge }: PasskeyResponse): Promise<PasskeyKey> {
    const response = json as RegistrationResponseJSON
    const { verifyRegistrationResponse } = this.#library
    const checked = await refuseOnError(async () => {
      await refuseCertificates(response.response.attestationObject)
      return verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        supportedAlgorithmIDs,
        ...this.#site
      })
    })
    if (!checked.registrationInfo) throw invalidGrant('the attestation of the passkey is wrong')
    const { id, publicKey, counter } = checked.registrationInfo.credential
    return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
  }

  /** Checks a login with a passkey of a user. Returns its new counter. Throws `invalid_grant`. */
  async checkLogin(
    { json, challenge }: PasskeyResponse,
    { id, publicKey, counter }: PasskeyKey,
    userId: string
  ): Promise<number> {
    const response = json as AuthenticationResponseJSON
    const { verifyAuthenticationResponse } = this.#library
    const checked = await refuseOnError(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        ...this.#site,
        credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter }
      })
    )
    if (!checked.verified) throw invalidGrant('the signature of the passkey is wrong', 'wrong_signature')
    if (response.response.userHandle !== Buffer.from(userId).toString('base64url'))
      throw invalidGrant(`the passkey does not belong to user ${userId}`)
    return checked.authenticationInfo.newCounter
  }
}

/**
 * Refuses attestations with certificates of the device's model. The service did not request them, and to check such
 * certificates, the library would send requests to other servers.
 */
async function refuseCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const isSelfMade = decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined
  if (decoded.get('fmt') !== 'none' && !isSelfMade) throw new Error('an attestation with certificates')
}

/** Converts errors of the library to `invalid_grant`. Their text is only logged. */
const refuseOnError = <T>(check: () => Promise<T>): Promise<T> =>
  check().catch(error => {
    throw invalidGrant(`passkey: ${error.message.slice(0, 200)}`)
  })

type Library = typeof import('@simplewebauthn/server')

/**
 * Creates the object for the issuer's passkeys. Throws StartError if the issuer cannot have passkeys, or if
 * @simplewebauthn/server is not installed.
 */
export async function openPasskeys(issuer: string | undefined): Promise<Passkeys> {
  const site = issuer === undefined ? undefined : new URL(issuer)
  if (!site || !mayHavePasskeys(site))
    throw new StartError(
      'PTS_BAD_OPTION',
      'PASSKEYS needs ISSUER to be an https URL with the name of a host, or http://localhost: browsers allow passkeys only there'
    )
  const missing = missingPackage('PASSKEYS', '@simplewebauthn/server')
  const library = await importOptional(() => import('@simplewebauthn/server'), missing)
  return new Passkeys(library, site)
}

/** Browsers allow passkeys only in secure contexts with a domain, so not for IP addresses, WebAuthn Level 3 §5.1.2. */
const mayHavePasskeys = ({ protocol, hostname }: URL): boolean =>
  /^(.*\.)?localhost$/.test(hostname) ||
  (protocol === 'https:' && isIP(hostname) === 0 && !hostname.startsWith('['))
