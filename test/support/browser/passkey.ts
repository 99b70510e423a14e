import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { hiddenFields, type TestBrowser, type Visit } from './browser.ts'

/** Options that the service sends to a browser. */
interface Options {
  challenge: string
  rp?: { id: string }
  rpId?: string
  user?: { id: string; name: string }
}

/** The faults of a forged response. */
interface Tampering {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  /** Bits: 1 if the user is present, 4 if the user is verified. */
  flags?: number
  counter?: number
  userHandle?: string
  id?: string
  /** Replaces the CBOR after `attStmt`. */
  attestation?: { fmt: string; statement: Buffer }
  key?: KeyObject
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url')

/** A short text in CBOR (RFC 8949 §3.1). */
const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)])
const cborBytes = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]), bytes])

/** An authenticator with one key on P-256 (WebAuthn Level 3). It signs anything, including wrong data. */
export class TestAuthenticator {
  readonly id = base64url(randomBytes(32))
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin: string
  userHandle = ''
  counter = 0

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Answers the options of `navigator.credentials.create`. */
  create(options: Options, wrong: Tampering = {}): string {
    this.userHandle = options.user?.id ?? ''
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' }) as { x: string; y: string }
    // Key type 2, algorithm -7, curve 1, x and y (RFC 9053 §7.1).
    const key = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url')
    ])
    const id = Buffer.from(wrong.id ?? this.id, 'base64url')
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
    const { fmt, statement } = wrong.attestation ?? { fmt: 'none', statement: Buffer.from([0xa0]) }
    const authData = this.#authData(options.rp?.id ?? '', { flags: 0x45, ...wrong }, attested)
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText(fmt), cborText('attStmt'), statement, cborText('authData')],
      cborBytes(authData)
    ])
    return this.#response(wrong, {
      clientDataJSON: base64url(this.#clientData('webauthn.create', options, wrong)),
      attestationObject: base64url(attestationObject)
    })
  }

  /** Answers the options of `navigator.credentials.get`. */
  get(options: Options, wrong: Tampering = {}): string {
    const clientData = this.#clientData('webauthn.get', options, wrong)
    const authData = this.#authData(options.rpId ?? '', wrong)
    const signed = Buffer.concat([authData, sha256(clientData)])
    return this.#response(wrong, {
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(sign('sha256', signed, wrong.key ?? this.#keys.privateKey)),
      userHandle: wrong.userHandle ?? this.userHandle
    })
  }

  #clientData(type: string, { challenge }: Options, wrong: Tampering): string {
    const { origin = this.#origin } = wrong
    return JSON.stringify({
      type: wrong.type ?? type,
      challenge: wrong.challenge ?? challenge,
      origin,
      crossOrigin: false
    })
  }

  #authData(rpId: string, wrong: Tampering, attested = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(wrong.counter ?? this.counter)
    return Buffer.concat([sha256(wrong.rpId ?? rpId), Buffer.from([wrong.flags ?? 5]), counter, attested])
  }

  #response({ id = this.id }: Tampering, response: object): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }
}

/** Requests a challenge as the script of a page does. */
export async function challengeOf(
  browser: TestBrowser,
  page: Visit,
  fields: Record<string, string> = {}
): Promise<{ status: number; problem?: string; options: Options }> {
  const { csrf = '' } = hiddenFields(page.text)
  const { status, text } = await browser.post('/oauth/passkey', { csrf, ...fields })
  return { status, ...(status === 403 ? {} : JSON.parse(text)) }
}
