import type { FastifyBaseLogger } from 'fastify'
import { findSmall, findUpload, keepSmall } from '../../db/media.ts'
import type { Db } from '../../db/schema.ts'
import { findContent } from '../../db/templates/metadata/ipfs.ts'
import { overloaded, StartError } from '../../errors.ts'
import { importSharp, pictureType, shrink } from '../../media/picture.ts'
import { PictureSources } from '../../media/sources.ts'
import type { ServiceSettings } from '../../options.ts'
import { Semaphore } from '../../semaphore.ts'

/** Pictures that are fetched and made small at the same time, by a process. */
const maxAtOnce = 4
const patience = { milliseconds: 5000, error: () => overloaded('pictures: no place is free') }
/** Milliseconds after which a source that failed is asked again, and how many of them are remembered. */
const pause = 60_000
const maxFailed = 1000

/** Characters of a source: PostgreSQL has no room for more in a key. */
const maxSourceLength = 2000

/** Returns the source that a link leads to, in ASCII; undefined if it leads to none. */
function nameSource(link: string): string | undefined {
  const content = findContent(link)
  const source = URL.parse(content === undefined ? link : `ipfs://${content}`)?.href
  return source !== undefined && source.length <= maxSourceLength ? source : undefined
}

/** Makes small versions of pictures, and keeps them in the store. */
export class Pictures {
  readonly #db: Db
  readonly #sources: PictureSources
  readonly #maxSize: number
  readonly #log: FastifyBaseLogger
  readonly #places = new Semaphore(maxAtOnce)
  /** By their source: everybody who asks for a picture waits for the same one. */
  readonly #making = new Map<string, Promise<string | undefined>>()
  readonly #failed = new Map<string, number>()

  /** Rejects with StartError if pictures are to be fetched and sharp is missing. */
  static async open(db: Db, settings: ServiceSettings, log: FastifyBaseLogger): Promise<Pictures> {
    if (settings.imageSources && !(await importSharp()))
      throw new StartError('PTS_BAD_OPTION', 'IMAGE_SOURCES needs the package sharp: npm install sharp')
    return new Pictures(db, settings, log)
  }

  private constructor(db: Db, settings: ServiceSettings, log: FastifyBaseLogger) {
    this.#db = db
    this.#sources = new PictureSources(settings)
    this.#maxSize = settings.imageCacheSize
    this.#log = log
  }

  /** Returns the link that a template has to an uploaded picture. */
  linkTo(cid: string): string {
    const { gateway } = this.#sources
    return gateway ? `${gateway}/${cid}` : `ipfs://${cid}`
  }

  /** Returns the hash of the small picture that a link leads to; undefined if it leads to none that may be shown. */
  async find(link: string): Promise<string | undefined> {
    const source = nameSource(link)
    if (source === undefined) return undefined
    const known = await findSmall(this.#db, source)
    if (known !== undefined || (this.#failed.get(source) ?? 0) > Date.now()) return known
    const making = this.#making.get(source) ?? this.#make(link, source)
    this.#making.set(source, making)
    return making.finally(() => this.#making.delete(source))
  }

  async #make(link: string, source: string): Promise<string | undefined> {
    const upload = await findUpload(this.#db, source)
    const url = this.#sources.locate(link)
    if (!upload && !url) return undefined
    const leave = await this.#places.take(undefined, patience)
    try {
      const bytes = upload?.bytes ?? (await this.#sources.fetch(url as URL))
      if (!pictureType(bytes)) throw new Error('the source has no picture of a type that is shown')
      const small = await shrink(bytes)
      return small ? await keepSmall(this.#db, source, small, this.#maxSize) : upload?.hash
    } catch (err) {
      this.#log.info({ err }, 'a picture cannot be shown')
      this.#failed.set(source, Date.now() + pause)
      for (const [oldest] of this.#failed) if (this.#failed.size > maxFailed) this.#failed.delete(oldest)
      return undefined
    } finally {
      leave()
    }
  }
}
