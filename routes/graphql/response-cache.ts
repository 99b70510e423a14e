import { LRUCache } from 'lru-cache'
import { acceptedCoding, type ContentCoding, compress } from '../responses/negotiation.ts'
import type { SharedResponse } from './executions.ts'

/** Bytes of a kept response besides its bodies. */
const overhead = 1000
/** Bytes of a body below which compression is not worth it. */
const minCompressed = 1024
/** Milliseconds for which a kept response counts as a sign that others will be asked for. */
const recently = 100

/** A complete response to a query, kept. */
export interface KeptResponse extends SharedResponse {
  /** Its request, with all that the response depends on besides the templates. */
  readonly key: string
  /** `Version.templates` before and after it was made. */
  readonly version: string
  /** The body in the codings that were asked for; the body itself where that is shorter. */
  readonly coded: ReadonlyMap<ContentCoding, Buffer>
}

/** The bytes of a response in a coding. */
export interface CodedBody {
  /** Without a coding. */
  plain: Buffer
  body: Buffer
  /** Content-Encoding of `body`. */
  coding?: ContentCoding
}

/** Keeps complete responses to queries as bytes, each for one version of the templates. */
export class ResponseCache {
  readonly #responses: LRUCache<string, KeptResponse> | undefined
  /** Bodies that are being compressed. */
  readonly #compressing = new Set<Buffer>()
  /** Requests that were answered with what is kept, and that were executed. */
  #hits = 0
  #misses = 0
  #hitAt = Number.NEGATIVE_INFINITY
  #evictions = 0

  /** `maxSize` is in bytes; 0 keeps nothing. */
  constructor(maxSize: number) {
    const dispose = (_response: KeptResponse, _key: string, reason: string) => {
      if (reason === 'evict') this.#evictions++
    }
    if (maxSize > 0) this.#responses = new LRUCache({ maxSize, sizeCalculation: sizeOf, dispose })
  }

  get isOn(): boolean {
    return this.#responses !== undefined
  }

  /** Whether kept responses are being asked for. */
  get isBusy(): boolean {
    return performance.now() - this.#hitAt < recently
  }

  countHit(): void {
    this.#hits++
    this.#hitAt = performance.now()
  }

  countMiss(): void {
    this.#misses++
  }

  find(key: string, version: string): KeptResponse | undefined {
    const kept = this.#responses?.get(key)
    return kept?.version === version ? kept : undefined
  }

  /** Whether it keeps a response to the request, of any version. */
  has(key: string): boolean {
    return this.#responses?.has(key) === true
  }

  keep(response: KeptResponse): void {
    this.#responses?.set(response.key, response)
  }

  /** Returns a response in the coding that Accept-Encoding prefers, without one until it is compressed. */
  encode(response: KeptResponse, accepted: string | undefined): CodedBody {
    const { body: plain, coded } = response
    const coding = accepted === undefined ? undefined : acceptedCoding(accepted)
    if (coding === undefined) return { plain, body: plain }
    const body = coded.get(coding)
    if (body === undefined) void this.#compress(response, coding)
    return body === undefined || body === plain ? { plain, body: plain } : { plain, body, coding }
  }

  /** Compresses a kept response in the background, for later requests. */
  async #compress(response: KeptResponse, coding: ContentCoding): Promise<void> {
    const { body, coded, key } = response
    if (body.length < minCompressed || this.#compressing.has(body)) return
    this.#compressing.add(body)
    // Without memory for it, the response stays as it is.
    const bytes = await compress(coding, body).catch(() => undefined)
    this.#compressing.delete(body)
    if (bytes === undefined || this.#responses?.peek(key) !== response) return
    const shorter = bytes.length < body.length ? joinOwnBytes([bytes]) : body
    this.keep({ ...response, coded: new Map([...coded, [coding, shorter]]) })
  }

  readFigures() {
    return {
      responses_kept: this.#responses?.size ?? 0,
      responses_kept_bytes: this.#responses?.calculatedSize ?? 0,
      responses_kept_hits_total: this.#hits,
      responses_kept_misses_total: this.#misses,
      responses_kept_evictions_total: this.#evictions
    }
  }
}

const sizeOf = ({ key, body, coded }: KeptResponse): number =>
  [body, ...coded.values()].reduce((sum, { length }) => sum + length, 2 * key.length + overhead)

/**
 * Joins buffers into one with memory of its own. Node.js makes short buffers as slices of 64 KiB, and one that is kept
 * would keep all of them in memory.
 */
export function joinOwnBytes(parts: Buffer[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) at += part.copy(whole, at)
  return whole
}
