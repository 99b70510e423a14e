import { LRUCache } from 'lru-cache'
import type { NamedOperation } from '../../runtime/metrics/metrics.ts'
import { type ContentCoding, chooseCoding, compress, contentCodings } from '../responses/negotiation.ts'

/** Bytes of an entry besides the text of its request and its bodies. */
const overhead = 500
/** Characters of all requests together that wait for the execution of an equal one. */
const maxWaitingSize = 2 ** 25
/** Bytes of a body below which compression is not worth it. */
const minCompressed = 1024

/** A complete response to a query. */
export interface CachedResponse {
  readonly body: Buffer
  readonly namedOperation: NamedOperation
  /** The compressed bodies by coding. Until compression ends, or if it does not help, the plain body. */
  readonly compressed: Map<ContentCoding, Buffer>
  /** The ETag without a coding. The first request that needs it computes it. */
  etag?: Promise<string>
}

/** The execution of an operation, for which equal requests wait. */
export interface JoinableExecution {
  /** Whether to share a response of this size: an equal request waits, or the same request came before. */
  shouldShare(bytes: number): boolean
  /** Whether an equal request waits. The execution then continues even if its client leaves. */
  isAwaited: boolean
  /** Resolves with the response; with undefined if each request needs its own. */
  readonly outcome: Promise<CachedResponse | undefined>
  /** Ends the execution; only the first call counts. If its version `isCurrent`, the response is cached. */
  end(response?: CachedResponse, isCurrent?: boolean): void
}

/** A request that came before, with its response or its execution. */
interface Entry {
  /** `Version.templates`. */
  readonly templatesVersion: string
  readonly response?: CachedResponse
  readonly execution?: JoinableExecution
}

/**
 * Caches complete responses to queries as bytes, each for one version of the templates. A response is cached when its
 * request comes for the second time. Requests that are equal to a running one join it. The key of a request has
 * everything that its response depends on besides the templates.
 */
export class ResponseCache {
  readonly #maxSize: number
  readonly #entries: LRUCache<string, Entry>
  /** Entries with a response. */
  #cached = 0
  /** Characters of the requests that wait. */
  #waitingSize = 0
  /** Requests that were answered with a cached response. */
  #hits = 0
  #evictions = 0

  /** `maxSize` is in bytes; 0 caches nothing. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
    const onInsert = ({ response }: Entry) => {
      if (response) this.#cached++
    }
    const dispose = ({ response }: Entry, _key: string, reason: string) => {
      if (response) this.#cached--
      if (response && reason === 'evict') this.#evictions++
    }
    // Every entry is larger than a byte.
    this.#entries = new LRUCache({ maxSize: maxSize || 1, sizeCalculation: sizeOf, onInsert, dispose })
  }

  find(key: string, templatesVersion: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry?.templatesVersion !== templatesVersion) return undefined
    if (entry.response) this.#hits++
    return entry
  }

  /**
   * Waits for the response of an equal request. Resolves with undefined if it cannot be shared, or if too many wait.
   */
  async join(key: string, execution: JoinableExecution): Promise<CachedResponse | undefined> {
    // A waiting request has the text and the key, which has the text again.
    const size = 3 * key.length
    if (this.#waitingSize + size > maxWaitingSize) return undefined
    execution.isAwaited = true
    this.#waitingSize += size
    const response = await execution.outcome
    this.#waitingSize -= size
    return response
  }

  /** Notes that the operation of a request is executing. Equal requests may then join it. */
  begin(key: string, templatesVersion: string): JoinableExecution {
    const { promise: outcome, resolve } = Promise.withResolvers<CachedResponse | undefined>()
    const end: JoinableExecution['end'] = (response, isCurrent) => {
      resolve(response)
      if (this.#entries.peek(key) === entry)
        this.#entries.set(key, isCurrent && response ? { templatesVersion, response } : { templatesVersion })
    }
    const isRepeated = this.#entries.has(key)
    const shouldShare = (bytes: number) => execution.isAwaited || (isRepeated && bytes <= this.#maxSize)
    const execution: JoinableExecution = { shouldShare, isAwaited: false, outcome, end }
    const entry = { templatesVersion, execution }
    this.#entries.set(key, entry)
    return execution
  }

  /** Returns a cached response in the coding that Accept-Encoding prefers. Until it is compressed, it has no coding. */
  encode(
    key: string,
    response: CachedResponse,
    accepted: string | undefined
  ): { body: Buffer; coding?: ContentCoding } {
    const coding = accepted === undefined ? undefined : chooseCoding(accepted, contentCodings)
    if (coding === undefined) return { body: response.body }
    if (!response.compressed.has(coding)) void this.#compress(key, response, coding)
    const body = response.compressed.get(coding) ?? response.body
    return body === response.body ? { body } : { body, coding }
  }

  /** Compresses a cached response in the background, for later requests. */
  async #compress(key: string, response: CachedResponse, coding: ContentCoding): Promise<void> {
    const { body, compressed } = response
    compressed.set(coding, body)
    if (body.length < minCompressed) return
    const bytes = await compress(coding, body).catch(() => undefined)
    // There was no memory for it, so the next request tries again.
    if (!bytes) return void compressed.delete(coding)
    const entry = this.#entries.peek(key)
    if (bytes.length >= body.length || entry?.response !== response) return
    compressed.set(coding, joinOwnBytes([bytes]))
    // The entry is set again, because its size has changed.
    this.#entries.set(key, { ...entry })
  }

  readMetricValues() {
    return {
      responses_cached: this.#cached,
      responses_cached_bytes: this.#entries.calculatedSize,
      responses_cached_hits_total: this.#hits,
      responses_cached_evictions_total: this.#evictions
    }
  }
}

const sizeOf = ({ response }: Entry, key: string): number => {
  const bodies = new Set(response && [response.body, ...response.compressed.values()])
  return [...bodies].reduce((sum, { length }) => sum + length, 2 * key.length + overhead)
}

/** Joins buffers into one with its own memory. A cached short buffer would hold a whole pool of Node.js. */
export function joinOwnBytes(parts: Uint8Array[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
