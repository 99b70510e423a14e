/** The interface to the index of templates, and the shared parts of its two implementations. */
import { type Expression, type OperationNodeSource, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Transaction } from '../schema.ts'

/** The tables of the index that finds templates. */
export interface IndexTables {
  /** Drops the tables of any version and creates empty ones. */
  create(transaction: Transaction): Promise<void>
  /** Its tables with entries of templates, and the column of each that has the id of the template. */
  idColumns: Record<string, 'template_id' | 'rowid'>
  /** Writes and indexes templates without making them pending. After the last write, evaluate `resumeMarking`. */
  write(transaction: Transaction, step: IndexedWrite): Promise<void>
  /** Ends the effect of `write`: later plain SQL in the transaction, such as a host's, makes templates pending again. */
  resumeMarking: RawBuilder<unknown>
  /** The primary key of `product_template_pending`, in whose order pending templates are indexed. */
  pendingKey: 'template_id' | 'mark'
  /** Locks the index until the transaction ends. Returns false if another process has locked it. */
  lock(transaction: Transaction): Promise<boolean>
}

/** Templates that are written and indexed. On PostgreSQL, this is one statement, except for new traits. */
interface IndexedWrite {
  ids: number[]
  /** The statements must not depend on each other's results. */
  statements: OperationNodeSource[]
  /** The new entries of these templates; the entries of all others stay the same. */
  entries: IndexEntry[]
}

/** The entries of one template in the index. */
export interface IndexEntry {
  id: number
  foldedName: string
  /** Words of name, description and traits. */
  terms: string[]
  /** The values of its traits, and the elements of values that are lists. */
  traits: TraitEntry[]
  /** Whether the index already has this name. */
  hasSameName?: boolean
  /** Whether the index already has these traits. */
  hasSameTraits?: boolean
}

export interface TraitEntry {
  /** Made by `typeKey`. */
  type: string
  /** Made by `valueKey` or `elementKey`. */
  key: string
}

/** Queries of the traits. */
export interface Traits {
  /** Tests whether a row of `product_template` has such an entry. */
  test(type: string, condition: EntryCondition): RawBuilder<SqlBool>
  /** Selects the ids of the templates with such an entry, possibly with duplicates. */
  find(type: string, condition: EntryCondition): RawBuilder<number>
  /** Selects the most frequent values of a trait, optionally among some templates; ties are ordered by text. */
  selectValues(type: string, first: number, among?: Int32Array): RawBuilder<TraitValue>
  /** Selects the most frequent values of each trait of a few templates, ordered by trait, then as in `selectValues`. */
  selectValuesOf(ids: Int32Array, first: number, types?: string[]): RawBuilder<TraitValue & { type: string }>
  /** Returns the stored form of a key, which may be shorter. */
  storedKey(key: string): string
  /**
   * The entries of a trait that facets show, optionally of some templates or of a query for a few: the SQL after `from`.
   * Further conditions may follow.
   */
  shownEntries(type: string, among?: Int32Array | RawBuilder<number>): RawBuilder<unknown>
  /** Converts a text such as `12`, `1.50` or `1,50` to a number; null unless `isNumber` accepts it. */
  numberIn(text: Expression<string | null>): RawBuilder<number | null>
}

/** A condition on the entries of a trait. The empty condition means all entries. */
export interface EntryCondition {
  /** Entries with one of these keys. */
  keys?: string[]
  /** Strings that contain this text, and elements of a list that equal it. */
  part?: string
  /** Numbers within these bounds, also as text. */
  bounds?: Bounds<number>
  /** Texts with a date within these bounds, as in `dateIn`. */
  dates?: Bounds<string>
}

export interface Bounds<Value> {
  gt?: Value
  gte?: Value
  lt?: Value
  lte?: Value
}

export interface TraitValue {
  key: string
  /** Formatted for display. */
  text: string
  /** Number of templates with this value. */
  count: number
}

/** Full-text search of each engine over the terms of templates. Terms come from `indexTerms`. */
export interface WordSearch {
  /** Tests whether each term is the prefix of a word of the template. */
  matches(id: Expression<number>, terms: string[]): RawBuilder<SqlBool>
  /** Selects the ids of the templates that `matches` accepts. */
  ids(terms: string[]): RawBuilder<number>
  /** Selects each of `words` with which a term of any template begins. */
  selectExisting(words: string[]): RawBuilder<{ word: string }>
  /** Selects templates whose folded name may contain `part`, by its trigrams; undefined if no index helps. */
  namedLike(part: string): RawBuilder<number> | undefined
}

/** The first character of a key is the kind of its value. Keys that facets do not show sort before all others. */
export const kinds = {
  ARRAY: '+',
  ABSENT: '-',
  BOOLEAN: 'B',
  ELEMENT: 'E',
  INTEGER: 'I',
  OTHER: 'O',
  STRING: 'S'
} as const

/** The kinds that facets show. They show no absent values, and the elements of a list instead of the list. */
export const shownKinds = [kinds.BOOLEAN, kinds.ELEMENT, kinds.INTEGER, kinds.OTHER, kinds.STRING]

/** Maximum characters of a text in an index. Longer texts are truncated. */
export const maxIndexedTextLength = 100

/** Tests whether an entry of `product_trait` has a type. */
export const isOfType = (type: string): RawBuilder<SqlBool> =>
  sql`type_id = (select id from product_trait_type where type = ${type})`

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Tests whether a number or a date is within bounds. */
export const isInBounds = <Value>(
  value: Expression<Value | null>,
  bounds: Bounds<Value>
): RawBuilder<SqlBool> =>
  sql.join(
    Object.entries(bounds).map(
      ([name, bound]) => sql`${value} ${sql.raw(operators[name as keyof typeof operators])} ${bound}`
    ),
    sql` and `
  )
