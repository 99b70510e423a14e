import { LRUCache } from 'lru-cache'
import { isSame, pickStamp, type TemplateStamp } from '../db/templates/stamp.ts'

/** Bytes that are allocated at a time. */
const slabSize = 2 ** 17
/** Bytes of a character, at most; those of a long text are counted. */
const maxBytesPerCharacter = 3
const longText = 2 ** 13
/** Characters of the names in a stamp, which are not counted. Plain SQL and imports may write longer ones than this. */
const longNames = 2 ** 10
/** Selections that are remembered as seen once. */
const maxSeen = 1000

interface Piece {
  stamp: TemplateStamp
  bytes: Buffer
}

/**
 * The templates of lists as JSON, for selections that came before. After a change, a list is put together from the
 * pieces that are still right.
 */
export class TemplatePieces {
  readonly #selections: LRUCache<string, Pieces> | undefined
  readonly #seen = new LRUCache<string, true>({ max: maxSeen })

  /** `maxSize` is in bytes; 0 keeps nothing. */
  constructor(maxSize: number) {
    if (maxSize > 0) this.#selections = new LRUCache({ maxSize })
  }

  /** Bytes of all pieces. */
  get size(): number {
    return this.#selections?.calculatedSize ?? 0
  }

  /** Returns the pieces of a selection that came before. */
  open(selection: string): Pieces | undefined {
    const known = this.#selections?.get(selection)
    if (known || !this.#selections) return known
    const seen = this.#seen.has(selection)
    this.#seen.set(selection, true)
    return seen ? new Pieces(this.#selections.maxSize) : undefined
  }

  /** Keeps the pieces, unless they are too large. Call it in any case: they have grown. */
  close(selection: string, pieces: Pieces): void {
    // Deleted first, because only a new entry has a new size.
    this.#selections?.delete(selection)
    if (pieces.isWasteful) return
    this.#selections?.set(selection, pieces, { size: pieces.allocated + selection.length + 1 })
  }
}

/** The pieces of one selection. Each is a comma and a template. */
export class Pieces {
  /** Bytes in memory. */
  allocated = 0
  readonly #maxSize: number
  readonly #pieces = new Map<number, Piece>()
  #used = 0
  #slab = Buffer.alloc(0)
  #end = 0

  /** `maxSize` is in bytes; what is added beyond it is not kept. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize
  }

  get isEmpty(): boolean {
    return this.#pieces.size === 0
  }

  /** Whether most of the memory is that of outdated pieces. */
  get isWasteful(): boolean {
    return this.allocated > 2 * this.#used + 8 * slabSize
  }

  find(stamp: TemplateStamp): Buffer | undefined {
    const piece = this.#pieces.get(stamp.id)
    return piece && isSame(piece.stamp, stamp) ? piece.bytes : undefined
  }

  add(stamp: TemplateStamp, json: string): Buffer {
    const text = `,${json}`
    if (this.allocated > this.#maxSize || stamp.name.length + stamp.componentName.length > longNames)
      return Buffer.from(text)
    const bytes = this.#write(text)
    this.#forget(stamp.id)
    this.#pieces.set(stamp.id, { stamp: pickStamp(stamp), bytes })
    this.#used += bytes.length
    return bytes
  }

  /** Forgets all templates but these. */
  retain(ids: ReadonlySet<number>): void {
    if (this.#pieces.size > ids.size) for (const id of this.#pieces.keys()) if (!ids.has(id)) this.#forget(id)
  }

  #forget(id: number): void {
    this.#used -= this.#pieces.get(id)?.bytes.length ?? 0
    this.#pieces.delete(id)
  }

  #write(text: string): Buffer {
    const most = text.length < longText ? text.length * maxBytesPerCharacter : Buffer.byteLength(text)
    if (this.#end + most > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(slabSize, most))
      this.allocated += this.#slab.length
      this.#end = 0
    }
    const begin = this.#end
    this.#end += this.#slab.write(text, begin)
    return this.#slab.subarray(begin, this.#end)
  }
}
