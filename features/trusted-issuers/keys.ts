import { readFile } from 'node:fs/promises'
import type { createLocalJWKSet } from 'jose'
import { isSecureUrl, readAll } from '../../runtime/outgoing.ts'

/** Finds the key of a token among the public keys of an issuer. A new object replaces it when the keys change. */
export type KeySet = ReturnType<typeof createLocalJWKSet>

/** Milliseconds after which keys are read again in the background. */
const freshMs = 10 * 60_000
/** Milliseconds after which a token waits for an attempt to read the keys. If it fails, the old keys are still used. */
const awaitedAfterMs = 60 * 60_000
/** Minimum milliseconds between two regular attempts. It also holds between two attempts because of unknown keys. */
const pauseMs = 60_000
/** Milliseconds that an issuer has for all its responses together. */
const answerTimeoutMs = 5000
const maxAnswerBytes = 1_048_576

interface KeySource {
  issuer: string
  /** URL or path of the JWK set; by default, the issuer's metadata name it. */
  jwksUri?: string | undefined
}

/** The public keys of an issuer, read when a token needs them. If reading fails, the old keys stay in use. */
export class IssuerKeys {
  readonly #read: () => Promise<string>
  readonly #onFailure: (error: unknown) => void
  readonly #now: () => number
  #text: string | undefined
  #set: KeySet | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #missedAt = Number.NEGATIVE_INFINITY
  #trying: Promise<void> = Promise.resolve()

  constructor(source: KeySource, onFailure: (error: unknown) => void, now = () => performance.now()) {
    this.#read = () => readKeys(source)
    this.#onFailure = onFailure
    this.#now = now
  }

  /** Resolves with the keys, or with undefined if they could never be read. */
  async current(): Promise<KeySet | undefined> {
    const age = this.#readIfOld()
    if (age > awaitedAfterMs) await this.#trying
    return this.#set
  }

  /** Resolves with the keys after a token has named an unknown one. Reads them again at most once a minute. */
  async afterMiss(): Promise<KeySet | undefined> {
    const now = this.#now()
    if (now - this.#missedAt > pauseMs) {
      this.#missedAt = now
      this.#try()
    }
    await this.#trying
    return this.#set
  }

  /** Whether a set is the current one. Reads the keys again in the background if they are old. */
  isCurrent(set: KeySet): boolean {
    this.#readIfOld()
    return set === this.#set
  }

  /** Whether the last attempt to read the keys has failed. */
  get hasFailed(): boolean {
    return this.#readAt < this.#triedAt
  }

  /** Returns the age of the keys. Starts to read them if they are old. */
  #readIfOld(): number {
    const now = this.#now()
    const age = now - this.#readAt
    if (age > freshMs && now - this.#triedAt > pauseMs) this.#try()
    return age
  }

  #try(): void {
    this.#triedAt = this.#now()
    this.#trying = this.#replace(this.#triedAt).catch(this.#onFailure)
  }

  async #replace(triedAt: number): Promise<void> {
    const [{ createLocalJWKSet }, text] = await Promise.all([import('jose'), this.#read()])
    // A slow response must not bring a removed key back.
    if (triedAt < this.#readAt) return
    if (text !== this.#text) this.#set = createLocalJWKSet(JSON.parse(text))
    this.#text = text
    this.#readAt = triedAt
  }
}

/** Reads a JWK set as text, RFC 7517 §5. */
export async function readKeys({ issuer, jwksUri }: KeySource): Promise<string> {
  if (jwksUri !== undefined && !URL.canParse(jwksUri)) return readFile(jwksUri, 'utf8')
  const signal = AbortSignal.timeout(answerTimeoutMs)
  return readUrl(jwksUri ?? (await discoverJwksUri(issuer, signal)), signal)
}

/** Finds the JWK set of an issuer by its metadata, OpenID Connect Discovery 1.0 §4 or RFC 8414 §3. */
async function discoverJwksUri(issuer: string, signal: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const openid = `${origin}${path}/.well-known/openid-configuration`
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`
  const text = await readUrl(openid, signal).catch(error =>
    readUrl(oauth, signal).catch(() => Promise.reject(error))
  )
  const metadata = JSON.parse(text)
  // RFC 8414 §3.3: metadata of another issuer must not be used.
  if (metadata.issuer !== issuer)
    throw new Error(`the metadata belongs to the issuer ${JSON.stringify(metadata.issuer)}`)
  if (!isSecureUrl(metadata.jwks_uri)) throw new Error('jwks_uri of the metadata must be an https URL')
  return metadata.jwks_uri
}

async function readUrl(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  const refuse = () => new Error(`the response of ${url} has more than ${maxAnswerBytes} bytes`)
  return (await readAll(response.body ?? [], maxAnswerBytes, refuse)).toString()
}
