import { isTrait } from '../../../domain/document.ts'
import { isRawJSON } from '../../../runtime/exact-json.ts'
import { isObject } from '../../../runtime/json-values.ts'
import { readValue, tryParseExactly, writeValue } from './cell.ts'

/** A document, or a part of it. */
export type JsonObject = Record<string, unknown>

/** Returns the document in `data`; undefined if it is not a JSON object. */
export function parseTableDocument(data: string): JsonObject | undefined {
  const document = tryParseExactly(data)
  return isJsonObject(document) ? document : undefined
}

type Kind = 'key' | 'trait'

/** The keys and traits of a document that have columns. */
export class DocumentCells {
  readonly document: JsonObject
  readonly #traits = new Map<string, { value?: unknown }>()

  constructor(document: JsonObject) {
    this.document = document
    for (const entry of listEntries(document)) {
      if (isTrait(entry) && !this.#traits.has(entry.trait_type)) this.#traits.set(entry.trait_type, entry)
    }
  }

  get traits(): Iterable<string> {
    return this.#traits.keys()
  }

  /** The keys that have columns. `attributes` is one of them only if trait columns cannot describe all its entries. */
  get keys(): string[] {
    return Object.keys(this.document).filter(key => key !== 'attributes' || !this.#isPlain())
  }

  /** The value of a key, or of the first entry of a trait; undefined if there is none. */
  valueOf(kind: Kind, name: string): unknown {
    if (kind === 'trait') return this.#traits.get(name)?.value
    return Object.hasOwn(this.document, name) ? this.document[name] : undefined
  }

  write(kind: Kind, name: string): string {
    const isInTraits = kind === 'key' && name === 'attributes' && this.#isPlain()
    return isInTraits ? '' : writeValue(this.valueOf(kind, name))
  }

  /**
   * Changes a value if its cell differs from the document; returns whether it did. An empty cell removes the key, or
   * all entries of the trait.
   */
  change(kind: Kind, name: string, cell: string): boolean {
    if (!isChange(cell, this.write(kind, name), this.valueOf(kind, name))) return false
    if (kind === 'trait') this.#changeTrait(name, cell)
    else if (cell === '') delete this.document[name]
    // Not an assignment, because of the key `__proto__`.
    else
      Object.defineProperty(this.document, name, {
        value: readValue(cell),
        enumerable: true,
        configurable: true,
        writable: true
      })
    return true
  }

  #changeTrait(type: string, cell: string): void {
    const entry = this.#traits.get(type)
    const entries = listEntries(this.document)
    if (cell === '')
      this.document.attributes = entries.filter(other => !isTrait(other) || other.trait_type !== type)
    else if (entry) entry.value = readValue(cell)
    else {
      // Not a copy of the list, because a table may have many columns.
      entries.push({ trait_type: type, value: readValue(cell) })
      this.document.attributes = entries
    }
  }

  /** Whether the trait cells describe the attributes completely, except for their order. */
  #isPlain(): boolean {
    const entries = this.document.attributes
    return (
      Array.isArray(entries) &&
      entries.length === this.#traits.size &&
      entries.every(entry => Object.keys(entry).length === 2 && isCellOf(entry.value))
    )
  }
}

/** Whether reading the written cell of a value gives the same value. */
const isCellOf = (value: unknown): boolean =>
  value !== undefined && JSON.stringify(readValue(writeValue(value))) === JSON.stringify(value)

/**
 * Whether a cell differs from the written one, as text and as value. Line breaks do not count, because spreadsheets
 * rewrite them.
 */
const isChange = (cell: string, written: string, before: unknown): boolean =>
  normalizeLineBreaks(cell) !== normalizeLineBreaks(written) &&
  (cell === '' || JSON.stringify(readValue(cell)) !== JSON.stringify(before))

const normalizeLineBreaks = (text: string): string => text.replaceAll(/\r\n?/g, '\n')

const listEntries = ({ attributes }: JsonObject): unknown[] => (Array.isArray(attributes) ? attributes : [])

const isJsonObject = (value: unknown): value is JsonObject => isObject(value) && !isRawJSON(value)
