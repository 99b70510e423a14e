import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { AuditActor } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { findContentPath } from '../../domain/metadata/ipfs.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { overloaded, PublicError, unavailable } from '../../runtime/errors.ts'
import { KeyedSemaphore } from '../../runtime/semaphore.ts'
import type { MediaSettings } from './index.ts'
import { deleteRows, findRow, findUpload, storeThumbnail, storeUpload, type Upload } from './rows.ts'
import { findPictureType, shrink } from './shrink.ts'
import { PictureSources } from './sources.ts'

/**
 * Maximum number of pictures from sources, and of uploads, that a process makes small at the same time. They are
 * apart, so that slow sources do not delay uploads.
 */
const maxFetches = 8
const maxShrunkUploads = 2
/** Milliseconds before a failed source is tried again; and the maximum number of failed sources that are remembered. */
const failurePauseMs = 60_000
const maxFailedSources = 1000

/** Maximum bytes of all small pictures that the database keeps. */
const maxKeptBytes = 2 ** 26

/** Maximum characters of a source, because PostgreSQL limits the size of a key. */
const maxSourceLength = 2000

/** Milliseconds after which a picture of the web is fetched again when it is shown. A content id never changes. */
const maxAgeMs = 86_400_000

/** Converts a link to the name of a source, in ASCII; undefined if it is no link or too long. */
function nameSource(link: string): string | undefined {
  const source = URL.parse(link)?.href
  return source !== undefined && source.length <= maxSourceLength ? source : undefined
}

/** Makes small versions of pictures, and keeps them in the store. */
export class Pictures {
  readonly #db: Db
  readonly #sources: PictureSources
  readonly #log: FastifyBaseLogger
  readonly #takeFetched = limitPictures(maxFetches)
  readonly #takeStored = limitPictures(maxShrunkUploads)
  /** The pictures that are being made, by source, so that concurrent requests wait for the same picture. */
  readonly #making = new Map<string, Promise<string | undefined>>()
  /** The sources whose pictures are fetched again. */
  readonly #renewing = new Set<string>()
  readonly #maxSize: number
  /** Why the sources failed. */
  readonly #failed = new LRUCache<string, string>({ max: maxFailedSources, ttl: failurePauseMs })
  readonly #closing = new AbortController()

  constructor(db: Db, settings: ServiceSettings & MediaSettings, log: FastifyBaseLogger) {
    this.#db = db
    this.#sources = new PictureSources(settings)
    this.#maxSize = settings.mediaMaxSize
    this.#log = log
  }

  /** Aborts the fetches, because they may take longer than a shutdown. */
  close(): void {
    this.#closing.abort()
  }

  /** Returns the link to an uploaded picture, for a template. */
  linkTo(cid: string): string {
    const { gateway } = this.#sources
    return gateway ? `${gateway}/${cid}` : `ipfs://${cid}`
  }

  /**
   * Returns the hash of the small picture for a link, or of an upload that cannot be made small. Returns undefined if
   * there is no picture to show. Making a picture takes a place of the token.
   */
  async find(link: string, token: string): Promise<string | undefined> {
    const source = await this.#findSource(link)
    if (source === undefined) return undefined
    const known = await findRow(this.#db, source, 'small')
    if (known) {
      if (Date.parse(known.time_created) < Date.now() - maxAgeMs) void this.#renew(source, token)
      return known.hash
    }
    return this.#making.get(source) ?? this.#make(link, source, token)
  }

  /** Finds the name of the source of a link: `ipfs://<content id>`, or a URL if only its host says what is there. */
  async #findSource(link: string): Promise<string | undefined> {
    const content = findContentPath(link)
    const named = content === undefined ? undefined : nameSource(`ipfs://${content}`)
    if (!named || !/^https?:/.test(link) || this.#sources.gateway) return named ?? nameSource(link)
    return (await findRow(this.#db, named, 'upload')) ? named : nameSource(link)
  }

  /** Fetches a picture of the web again. If that fails, the old one stays. */
  async #renew(source: string, token: string): Promise<void> {
    const url = this.#sources.locate(source)
    const mayChange = url !== undefined && !source.startsWith('ipfs:') && !this.#failed.has(source)
    if (!mayChange || this.#renewing.has(source)) return
    this.#renewing.add(source)
    try {
      if (await findRow(this.#db, source, 'upload')) return
      const leave = await this.#takeFetched(token, url.host)
      try {
        const small = await this.#shrink(source, () => this.#sources.fetch(url, this.#closing.signal))
        if (small) await storeThumbnail(this.#db, source, small, maxKeptBytes)
      } finally {
        leave()
      }
    } catch (err) {
      this.#log.info({ err }, 'a picture was not fetched again')
    } finally {
      this.#renewing.delete(source)
    }
  }

  /** Stores the picture of a user. Throws 507 if there is no room. */
  storeUpload(upload: Upload): Promise<string> {
    return storeUpload(this.#db, upload, this.#maxSize)
  }

  /** Says in a sentence why {@link find} found no picture for a link. */
  async explain(link: string): Promise<string> {
    const source = await this.#findSource(link)
    const failure = source && this.#failed.get(source)
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
    const source = nameSource(link)
    const url = this.#sources.locateAnywhere(link)
    // The bytes of a content id cannot be checked, because they may have been cut into blocks in any way.
    if (!source || !url || findContentPath(link) !== undefined)
      throw noPicture('this is not the link of a web page')
    const stored = await findUpload(this.#db, source)
    if (stored) return stored
    const leave = await this.#takeFetched(token, url.host)
    try {
      const bytes = await this.#sources.fetch(url, this.#closing.signal, { fromAnyHost: true })
      const type = findPictureType(bytes)
      if (!type) throw new Error(unknownType)
      await this.storeUpload({ source, type, bytes, actor })
      this.#failed.delete(source)
      return { type, bytes }
    } catch (error) {
      if (this.#closing.signal.aborted) throw unavailable('the service is shutting down')
      if (error instanceof PublicError) throw error
      throw noPicture(describeFailure(error))
    } finally {
      leave()
    }
  }

  async #make(link: string, source: string, token: string): Promise<string | undefined> {
    const upload = (await findRow(this.#db, source, 'upload'))?.hash
    const url = this.#sources.locate(link)
    if (this.#failed.has(source) || (upload === undefined && !url)) return upload
    const leave = await (upload === undefined ? this.#takeFetched(token, url?.host) : this.#takeStored(token))
    try {
      const begin = () => this.#makeOnce(source, url, upload).finally(() => this.#making.delete(source))
      // Only with a place, so that nobody waits in the queue of another token.
      const making = this.#making.get(source) ?? begin()
      this.#making.set(source, making)
      return await making
    } finally {
      leave()
    }
  }

  async #makeOnce(source: string, url: URL | undefined, upload: string | undefined) {
    // Another request may have made it meanwhile.
    const known = (await findRow(this.#db, source, 'small'))?.hash
    if (known !== undefined || this.#failed.has(source)) return known ?? upload
    const stored = upload === undefined ? undefined : await findUpload(this.#db, source)
    const fetch = () => this.#sources.fetch(url as URL, this.#closing.signal)
    const small = await this.#shrink(source, async () => stored?.bytes ?? fetch())
    if (!small) return upload
    const thumbnail = await storeThumbnail(this.#db, source, small, maxKeptBytes)
    // Somebody may have removed the upload meanwhile.
    if (upload === undefined || (await findRow(this.#db, source, 'upload'))) return thumbnail
    await deleteRows(this.#db, source, 1)
    return undefined
  }

  /** Returns undefined if sharp is not installed, if the picture cannot be read, or if its type is not shown. */
  async #shrink(source: string, read: () => Promise<Buffer>): Promise<Buffer | undefined> {
    try {
      const bytes = await read()
      if (!findPictureType(bytes)) throw new Error(unknownType)
      return await shrink(bytes)
    } catch (err) {
      if (this.#closing.signal.aborted) throw unavailable('the service is shutting down')
      this.#log.info({ err }, 'a picture cannot be made small')
      this.#failed.set(source, describeFailure(err))
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
