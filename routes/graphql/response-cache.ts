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
export interface SharedResponse {
  readonly body: Buffer
  readonly operation: NamedOperation
  /** The body in each coding that a client asked for; the plain body until it is compressed, and if that is shorter. */
  readonly coded: Map<ContentCoding, Buffer>
  /** The ETag without a coding, as soon as a request needs it. */
  etag?: Promise<string>
}

/** The execution of an operation, for which equal requests wait. */
export interface SharedExecution {
  /** Whether a response of that many bytes is used again: an equal request waits for it, or one came before, so it is kept. */
  isWanted(bytes: number): boolean
  /** Whether an equal request waits. The execution then continues even if its client leaves. */
  isAwaited: boolean
  /** Resolves with the response; with undefined if each request needs its own. */
  readonly outcome: Promise<SharedResponse | undefined>
  /** Only the first call counts. The response is kept for later requests if `isCurrent`: its version is still the latest. */
  end(response?: SharedResponse, isCurrent?: boolean): void
}

/** A request that came before, with its response or its execution. */
interface Entry {
  /** `Version.templates`. */
  readonly version: string
  readonly response?: SharedResponse
  readonly execution?: SharedExecution
}

/**
 * Keeps complete responses to queries as bytes, each for one version of the templates. A response is kept when its request
 * comes for the second time. Equal requests at the same time are executed once. The key of a request has everything that
 * its response depends on besides the templates.
 */
export class ResponseCache {
  readonly #maxSize: number
  readonly #entries: LRUCache<string, Entry>
  /** Entries with a response. */
  #kept = 0
  /** Characters of the requests that wait. */
  #waitingSize = 0
  /** Requests that were answered with a kept response. */
  #hits = 0
  #evictions = 0

  /** `maxSize` is in bytes; 0 keeps nothing. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
    const onInsert = ({ response }: Entry) => {
      if (response) this.#kept++
    }
    const dispose = ({ response }: Entry, _key: string, reason: string) => {
      if (response) this.#kept--
      if (response && reason === 'evict') this.#evictions++
    }
    // Every entry is larger than a byte.
    this.#entries = new LRUCache({ maxSize: maxSize || 1, sizeCalculation: sizeOf, onInsert, dispose })
  }

  find(key: string, version: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry?.version !== version) return undefined
    if (entry.response) this.#hits++
    return entry
  }

  /** Waits for the response of an equal request. Resolves with undefined if it cannot be shared, or if too many wait. */
  async join(key: string, execution: SharedExecution): Promise<SharedResponse | undefined> {
    // The request itself, and its key.
    const size = 3 * key.length
    if (this.#waitingSize + size > maxWaitingSize) return undefined
    execution.isAwaited = true
    this.#waitingSize += size
    const response = await execution.outcome
    this.#waitingSize -= size
    return response
  }

  /** Notes that the operation of a request is being executed. Equal requests may then join. */
  begin(key: string, version: string): SharedExecution {
    const { promise: outcome, resolve } = Promise.withResolvers<SharedResponse | undefined>()
    const end: SharedExecution['end'] = (response, isCurrent) => {
      resolve(response)
      if (this.#entries.peek(key) === entry)
        this.#entries.set(key, isCurrent && response ? { version, response } : { version })
    }
    const isRepeated = this.#entries.has(key)
    const isKept = (bytes: number) => isRepeated && bytes <= this.#maxSize
    const isWanted = (bytes: number) => execution.isAwaited || isKept(bytes)
    const execution: SharedExecution = { isWanted, isAwaited: false, outcome, end }
    const entry = { version, execution }
    this.#entries.set(key, entry)
    return execution
  }

  /** Returns a kept response in the coding that Accept-Encoding prefers. Until it is compressed, it has no coding. */
  encode(
    key: string,
    response: SharedResponse,
    accepted: string | undefined
  ): { body: Buffer; coding?: ContentCoding } {
    const coding = accepted === undefined ? undefined : chooseCoding(accepted, contentCodings)
    if (coding === undefined) return { body: response.body }
    if (!response.coded.has(coding)) void this.#compress(key, response, coding)
    const body = response.coded.get(coding) ?? response.body
    return body === response.body ? { body } : { body, coding }
  }

  /** Compresses a kept response in the background, for later requests. */
  async #compress(key: string, response: SharedResponse, coding: ContentCoding): Promise<void> {
    const { body, coded } = response
    coded.set(coding, body)
    if (body.length < minCompressed) return
    const bytes = await compress(coding, body).catch(() => undefined)
    // Without memory for it, the next request tries again.
    if (!bytes) return void coded.delete(coding)
    const entry = this.#entries.peek(key)
    if (bytes.length >= body.length || entry?.response !== response) return
    coded.set(coding, joinOwnBytes([bytes]))
    // Set again, because its size has changed.
    this.#entries.set(key, { ...entry })
  }

  readMetricValues() {
    return {
      responses_kept: this.#kept,
      responses_kept_bytes: this.#entries.calculatedSize,
      responses_kept_hits_total: this.#hits,
      responses_kept_evictions_total: this.#evictions
    }
  }
}

const sizeOf = ({ response }: Entry, key: string): number => {
  const bodies = new Set(response && [response.body, ...response.coded.values()])
  return [...bodies].reduce((sum, { length }) => sum + length, 2 * key.length + overhead)
}

/**
 * Joins buffers into one with memory of its own. Node.js cuts short buffers from a pool of 64 KiB, and a kept one would
 * hold its whole pool in memory.
 */
export function joinOwnBytes(parts: Uint8Array[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
