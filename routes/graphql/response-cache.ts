import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { NamedOperation } from '../../metrics/operations.ts'
import { type ContentCoding, compress } from '../responses/content-coding.ts'
import { joinOwnBytes } from '../responses/own-bytes.ts'
import { RunningResponses } from './running-responses.ts'

/** Requests whose key is known by their bytes, and characters of these. */
const maxRaws = 10_000
const maxRawLength = 2 ** 23
/** Requests that are remembered as seen once. */
const maxSeen = 10_000
/** Bytes of a kept response besides its bodies. */
const overhead = 1000
/** Bytes of a body below which compression is not worth it. */
const minCompressed = 1024

/** A complete response to a query, kept. */
export interface KeptResponse {
  readonly key: string
  readonly operation: NamedOperation
  /** `Version.templates` before and after it was made. */
  readonly version: string
  readonly body: Buffer
  /** The body in the codings that were asked for; the body itself where that is shorter. */
  readonly coded: ReadonlyMap<ContentCoding, Buffer>
}

/**
 * Keeps complete responses to queries as bytes, each for one version of the templates. It keeps the response to a request
 * that comes for the second time, so that requests that come once cannot displace those that come often.
 */
export class ResponseCache extends RunningResponses {
  readonly #responses: LRUCache<string, KeptResponse> | undefined
  readonly #keys = new LRUCache<string, string>({
    max: maxRaws,
    maxSize: maxRawLength,
    sizeCalculation: (key, raw) => key.length + raw.length
  })
  readonly #seen = new LRUCache<string, true>({ max: maxSeen })
  #evictions = 0
  /** Requests that were answered with what is kept, and that were executed. */
  hits = 0
  misses = 0
  /** Bodies that are being compressed. */
  readonly #compressing = new Set<Buffer>()

  /** `maxSize` is in bytes; 0 keeps nothing. */
  constructor(maxSize: number) {
    super()
    const dispose = (_response: KeptResponse, _key: string, reason: string) => {
      if (reason === 'evict') this.#evictions++
    }
    if (maxSize > 0) this.#responses = new LRUCache({ maxSize, sizeCalculation: sizeOf, dispose })
  }

  get isOn(): boolean {
    return this.#responses !== undefined
  }

  /** Finds the response to a request by its bytes, if they came before. */
  findRaw(raw: string, version: string): KeptResponse | undefined {
    const key = this.#keys.get(raw)
    return key === undefined ? undefined : this.find(key, version)
  }

  find(key: string, version: string): KeptResponse | undefined {
    const found = this.#responses?.get(key)
    return found?.version === version ? found : undefined
  }

  /** Remembers the key of a request by its bytes. */
  learn(raw: string, key: string): void {
    this.#keys.set(raw, key)
  }

  /** Whether the request came before. */
  isRepeated(key: string): boolean {
    if (this.#responses?.has(key)) return true
    const digest = hash('sha1', key)
    const seen = this.#seen.has(digest)
    this.#seen.set(digest, true)
    return seen
  }

  keep(response: KeptResponse): void {
    this.#responses?.set(response.key, response)
  }

  readFigures() {
    return {
      responses_kept: this.#responses?.size ?? 0,
      responses_kept_bytes: this.#responses?.calculatedSize ?? 0,
      responses_kept_hits_total: this.hits,
      responses_kept_misses_total: this.misses,
      responses_kept_evictions_total: this.#evictions
    }
  }

  /** Compresses a kept response in the background, for later requests. */
  compressLater(response: KeptResponse, coding: ContentCoding): void {
    const { body, coded, key } = response
    if (body.length < minCompressed || this.#compressing.has(body)) return
    this.#compressing.add(body)
    compress(coding, body)
      .then(bytes => {
        const shorter = bytes.length < body.length ? joinOwnBytes([bytes]) : body
        if (this.#responses?.peek(key) === response)
          this.keep({ ...response, coded: new Map([...coded, [coding, shorter]]) })
      })
      // Without memory for it, the response stays as it is.
      .catch(() => {})
      .finally(() => this.#compressing.delete(body))
  }
}

const sizeOf = ({ key, body, coded }: KeptResponse): number =>
  [body, ...coded.values()].reduce((sum, { length }) => sum + length, 2 * key.length + overhead)
