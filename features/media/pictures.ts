import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { AuditActor } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { findContentPath } from '../../domain/ipfs.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { overloaded, PublicError, unavailable } from '../../runtime/errors.ts'
import { KeyedSemaphore } from '../../runtime/keyed-semaphore.ts'
import type { MediaSettings } from './index.ts'
import {
  deletePictures,
  findOriginal,
  findPicture,
  type NewOriginal,
  storeOriginal,
  storeThumbnail
} from './rows.ts'
import { PictureSources } from './sources.ts'
import { findPictureType, makeThumbnail } from './thumbnail.ts'

/**
 * Maximum number of pictures from sources, and of stored originals, of which a process makes thumbnails at the same
 * time. They are apart, so that slow sources do not delay originals.
 */
const maxFetches = 8
const maxOriginals = 2
/** Milliseconds before a failed picture is fetched again; and the maximum number of failures that are remembered. */
const failurePauseMs = 60_000
const maxFailures = 1000

/** Maximum bytes of all thumbnails that the database keeps. */
const maxThumbnailBytes = 2 ** 26

/** Maximum characters of a key, because PostgreSQL limits the size of an index entry. */
const maxKeyLength = 2000

/** Milliseconds after which a picture of the web is fetched again when it is shown. A content id never changes. */
const maxAgeMs = 86_400_000

/** Converts a link to a key, in ASCII; undefined if it is no link or too long. */
function toKey(link: string): string | undefined {
  const key = URL.parse(link)?.href
  return key !== undefined && key.length <= maxKeyLength ? key : undefined
}

/** Makes thumbnails of pictures, and keeps them in the store. */
export class Pictures {
  readonly #db: Db
  readonly #sources: PictureSources
  readonly #log: FastifyBaseLogger
  readonly #takeSourcePlace = limitPictures(maxFetches)
  readonly #takeOriginalPlace = limitPictures(maxOriginals)
  /** The thumbnails that are being made, by key, so that concurrent requests wait for the same one. */
  readonly #making = new Map<string, Promise<string | undefined>>()
  /** The keys of the pictures that are fetched again. */
  readonly #renewing = new Set<string>()
  readonly #maxSize: number
  /** Why pictures could not be had, by key. */
  readonly #failed = new LRUCache<string, string>({ max: maxFailures, ttl: failurePauseMs })
  /** Why pictures could not be copied, by key. */
  readonly #refused = new LRUCache<string, string>({ max: maxFailures, ttl: maxAgeMs })
  readonly #closing = new AbortController()

  constructor(db: Db, settings: ServiceSettings & MediaSettings, log: FastifyBaseLogger) {
    this.#db = db
    this.#sources = new PictureSources(settings)
    this.#maxSize = settings.mediaMaxSize
    this.#log = log
  }

  /** Aborts the fetches, because they may take longer than a shutdown. */
  close(): void {
    this.#closing.abort(unavailable('the service is shutting down'))
  }

  /** Returns the link to an uploaded picture, for a template. */
  linkTo(cid: string): string {
    const { gateway } = this.#sources
    return gateway ? `${gateway}/${cid}` : `ipfs://${cid}`
  }

  /**
   * Returns the hash of the thumbnail for a link, or of the original if there can be no thumbnail. Returns undefined if
   * there is no picture to show. Making a thumbnail takes a place of the token.
   */
  async find(link: string, token: string): Promise<string | undefined> {
    const key = await this.#findKey(link)
    if (key === undefined) return undefined
    const known = await findPicture(this.#db, key, 'thumbnail')
    if (known) {
      if (Date.parse(known.time_created) < Date.now() - maxAgeMs) void this.#renew(key, token)
      return known.hash
    }
    return this.#making.get(key) ?? this.#make(link, key, token)
  }

  /** Finds the key of a link: `ipfs://<content id>`, or a URL if only its host says what is there. */
  async #findKey(link: string): Promise<string | undefined> {
    const content = findContentPath(link)
    const contentKey = content === undefined ? undefined : toKey(`ipfs://${content}`)
    if (!contentKey || !/^https?:/.test(link) || this.#sources.gateway) return contentKey ?? toKey(link)
    return (await findPicture(this.#db, contentKey, 'original')) ? contentKey : toKey(link)
  }

  /** Fetches a picture of the web again. If that fails, the old one stays. */
  async #renew(key: string, token: string): Promise<void> {
    const url = this.#sources.locate(key)
    const mayChange = url !== undefined && !key.startsWith('ipfs:') && !this.#failed.has(key)
    if (!mayChange || this.#renewing.has(key)) return
    this.#renewing.add(key)
    try {
      if (await findPicture(this.#db, key, 'original')) return
      const leave = await this.#takeSourcePlace(token, url.host)
      try {
        const thumbnail = await this.#makeThumbnail(key, () => this.#sources.fetch(url, this.#closing.signal))
        if (thumbnail) await storeThumbnail(this.#db, key, thumbnail, maxThumbnailBytes)
      } finally {
        leave()
      }
    } catch (err) {
      this.#log.info({ err }, 'a picture was not fetched again')
    } finally {
      this.#renewing.delete(key)
    }
  }

  /** Stores an original and returns its hash. Throws 507 if there is no room. */
  storeOriginal(original: NewOriginal): Promise<string> {
    return storeOriginal(this.#db, original, this.#maxSize)
  }

  /** Says in a sentence why {@link find} found no picture for a link. */
  async explain(link: string): Promise<string> {
    const key = await this.#findKey(link)
    const failure = key && (this.#failed.get(key) ?? this.#refused.get(key))
    if (failure) return failure
    if (findContentPath(link) !== undefined && !this.#sources.gateway)
      return 'the service has no IPFS gateway to fetch it from'
    const host = this.#sources.locateAnywhere(link)?.host
    return host === undefined ? 'this is not the link of a picture' : `${host} is not allowed to be shown`
  }

  /**
   * Fetches the picture of a web link and stores it, so that it is shown although its host is not listed. Returns the
   * stored picture if there is one. Rejects with a public error that says why there is no picture.
   */
  async store(link: string, token: string, actor: AuditActor): Promise<{ type: string; bytes: Buffer }> {
    const key = toKey(link)
    const url = this.#sources.locateAnywhere(link)
    // The bytes of a content id cannot be checked, because they may have been cut into blocks in any way.
    if (!key || !url || findContentPath(link) !== undefined)
      throw noPicture('this is not the link of a web page')
    const stored = await findOriginal(this.#db, key)
    if (stored) return stored
    const leave = await this.#takeSourcePlace(token, url.host)
    try {
      const bytes = await this.#sources.fetch(url, this.#closing.signal, { fromAnyHost: true })
      const type = findPictureType(bytes)
      if (!type) throw new Error(unknownType)
      await this.storeOriginal({ key, type, bytes, actor })
      this.#failed.delete(key)
      this.#refused.delete(key)
      return { type, bytes }
    } catch (error) {
      this.#closing.signal.throwIfAborted()
      if (error instanceof PublicError) throw error
      const reason = describeFailure(error)
      this.#refused.set(key, reason)
      throw noPicture(reason)
    } finally {
      leave()
    }
  }

  async #make(link: string, key: string, token: string): Promise<string | undefined> {
    const original = (await findPicture(this.#db, key, 'original'))?.hash
    const url = this.#sources.locate(link)
    if (this.#failed.has(key) || (original === undefined && !url)) return original
    const leave = await (original === undefined
      ? this.#takeSourcePlace(token, url?.host)
      : this.#takeOriginalPlace(token))
    try {
      const begin = () => this.#makeOnce(key, url, original).finally(() => this.#making.delete(key))
      // Only with a place, so that nobody waits in the queue of another token.
      const making = this.#making.get(key) ?? begin()
      this.#making.set(key, making)
      return await making
    } finally {
      leave()
    }
  }

  async #makeOnce(key: string, url: URL | undefined, original: string | undefined) {
    // Another request may have made it meanwhile.
    const known = (await findPicture(this.#db, key, 'thumbnail'))?.hash
    if (known !== undefined || this.#failed.has(key)) return known ?? original
    const stored = original === undefined ? undefined : await findOriginal(this.#db, key)
    const fetch = () => this.#sources.fetch(url as URL, this.#closing.signal)
    const thumbnail = await this.#makeThumbnail(key, async () => stored?.bytes ?? fetch())
    if (!thumbnail) return original
    const hash = await storeThumbnail(this.#db, key, thumbnail, maxThumbnailBytes)
    // Somebody may have deleted the original meanwhile.
    if (original === undefined || (await findPicture(this.#db, key, 'original'))) return hash
    await deletePictures(this.#db, key, 'thumbnail')
    return undefined
  }

  /** Returns undefined if sharp is not installed, if the picture cannot be read, or if its type is not shown. */
  async #makeThumbnail(key: string, read: () => Promise<Buffer>): Promise<Buffer | undefined> {
    try {
      const bytes = await read()
      if (!findPictureType(bytes)) throw new Error(unknownType)
      return await makeThumbnail(bytes)
    } catch (err) {
      this.#closing.signal.throwIfAborted()
      this.#log.info({ err }, 'a thumbnail cannot be made')
      this.#failed.set(key, describeFailure(err))
      return undefined
    }
  }
}

const unknownType = 'it is not a PNG, JPEG, GIF, WebP or AVIF picture'

const noPicture = (message: string) => new PublicError({ code: 'invalid_request', statusCode: 422, message })

/** Describes why a picture could not be had. Errors of the system have a code, and may name addresses. */
function describeFailure(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') return 'the server did not respond in time'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the server was not found'
  return typeof code === 'string' ? 'the server could not be reached' : message
}

/** How long a request waits for a place. */
const waitLimit = { milliseconds: 5000, error: () => overloaded('pictures: no place is free') }

/**
 * Limits the number of pictures in memory. A token gets at most half of the places, and a source three quarters.
 * Returns a function that takes a place, and resolves with the function that releases it. Rejects with 503 if no place
 * is free in time.
 */
export function limitPictures(places: number): (token: string, host?: string) => Promise<() => void> {
  const shared = new KeyedSemaphore(waitLimit)
  return (token, host) =>
    shared.take({
      all: places,
      [`token ${token}`]: places / 2,
      ...(host !== undefined && { [`host ${host}`]: (places * 3) / 4 })
    })
}
