import type { Dialect, Expression, OperationNodeSource, RawBuilder, SqlBool } from 'kysely'
import type { AnyDb, AnyTransaction, Db, Transaction } from '../schema.ts'
import type { postgresDefaults } from '../url.ts'

/** Settings of a database. For a SQLite file, only `mustExist` counts. */
export interface DatabaseOptions extends Partial<typeof postgresDefaults> {
  /** Whether a missing database file is an error. */
  mustExist?: boolean
}

/** How a GraphQL operation uses a database. */
export interface OperationDbOptions {
  /** Ends its statements, and its wait for a connection. */
  signal?: AbortSignal | undefined
  /** Whether its statements only read and may take long. They must then not block the event loop. */
  isLong?: boolean | undefined
}

/** Everything that an engine must offer. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  /** Matches the database URLs of this engine. */
  url: RegExp
  /** Opens the database of a URL and calls `migrate`. Throws StartError if the database cannot be used. */
  open(url: string, options: DatabaseOptions, migrate: (db: Db) => Promise<unknown>): Promise<Db>
  /** Opens a pool of connections to a replica, which may be unreachable now. Throws StartError if the engine has no replicas. */
  openReplica(url: string, options: DatabaseOptions): Promise<Db>
  /** Opens the database of a URL for reading only. Not even the bytes of a file change. */
  openUnchanged(url: string, settings: typeof postgresDefaults): Promise<Dialect>
  index: IndexTables
  search: Search
  traits: Traits
  syntax: Syntax
  /** Reads the versions in `product_version`, unless nothing was committed since the reading with the mark `known`. */
  readVersions(db: Db, known: unknown): Promise<VersionReading>
  /** Updates the statistics of the planner after many templates were written; not in a transaction. */
  analyze(db: Db): Promise<void>
  /**
   * Selects the next `id` of a sequence if `mayBeUsed` allows it, and holds the lock `ids`, shared, until the transaction
   * ends. undefined if the engine has no sequence.
   */
  takeId:
    | ((mayBeUsed: (id: RawBuilder<unknown>) => RawBuilder<boolean>) => RawBuilder<{ id: number }>)
    | undefined
  /** Takes a lock until the transaction ends. Later statements see everything that was committed before the lock. */
  lock(transaction: AnyTransaction, subject: 'migrations' | 'ids' | 'changes' | 'imports'): Promise<void>
  /** Limits how long statements of a transaction wait for locks, because other transactions wait behind them. */
  limitLockWait(transaction: AnyTransaction): Promise<void>
  /** Rejects if the database does not accept writes or has no space for them. Changes nothing. */
  checkWritable(db: Db): Promise<void>
  /** Removes the bytes of replaced signing keys from the files. Returns false if a reader of older contents prevents it. */
  eraseRemains(db: Db): Promise<boolean>
  /** Reads the metrics of the connections or the file. A database that a host has opened has none. */
  readFigures(db: Db): Record<string, number | Record<string, number>>
  /** Calls a function with the seconds that each writer waited for the file. Returns the function that stops this. */
  observeWriters(db: Db, observe: (seconds: number) => void): () => void
  /** Returns the path of the database file; undefined if the database has none. */
  findFile(db: AnyDb): Promise<string | undefined>
  /** Whether statements block the event loop, except those of long operations. */
  blocksLoop(db: Db): boolean
  /** See `operationDb`. Not for a transaction. */
  forOperation(db: Db, options: OperationDbOptions): Db
  /** Throws StartError if a connection of a host changes the values that it reads. */
  checkTypes(db: AnyDb): Promise<void>
}

/** Parts of statements that differ between the engines. */
interface Syntax {
  /** `"a" = 0` as Kysely writes it for this engine. It identifies the engine of a host's Kysely instance. */
  comparison: string
  /** Names the table of templates, and where necessary the index `product_template_by_…`, to read it in that order. */
  walkOrder(index: string | undefined): RawBuilder<unknown>
  /** Tests whether the id of a row is in a long list. */
  isOneOf(id: RawBuilder<unknown>, ids: Int32Array | number[]): RawBuilder<SqlBool>
  /** Selects at most `limit` ids of a query as one JSON text, which is cheaper than one row per id. */
  collectIds(query: RawBuilder<number>, limit?: number): RawBuilder<{ ids: string }>
  /** Joins the rows of a version in `product_version`. */
  versionText: RawBuilder<string>
  /** Tests whether a text contains a part. */
  isIn(part: string, text: Expression<string | null>): RawBuilder<SqlBool>
  /** The end of a query whose rows stay locked until the transaction ends. */
  lockRows: RawBuilder<unknown>
  /** Selects a row if a table exists in the schema where tables are created. */
  findTable(name: string): RawBuilder<unknown>
}

export interface VersionReading {
  /** What was committed when the versions were read. Only the engine reads it. undefined if that is unknown. */
  mark: unknown
  /** undefined if nothing was committed since the known mark. */
  rows: VersionRow[] | undefined
}

/** A version. On PostgreSQL, `value` has all its rows. */
export interface VersionRow {
  name: 'templates' | 'access'
  value: string
}

/** The tables of the index that finds templates. */
export interface IndexTables {
  /** Drops the tables of any version and creates empty ones. */
  create(transaction: Transaction): Promise<void>
  /** Removes entries without a template. Looks only at the ids in `among`. */
  removeDeleted(transaction: Transaction, among: IdRange): Promise<void>
  /** Writes and indexes templates without making them pending. */
  write(transaction: Transaction, step: IndexedWrite): Promise<void>
  /** Removes at most `limit` templates from the pending ones and returns their ids. */
  takePending(transaction: Transaction, limit: number): Promise<number[]>
  /** Locks the index until the transaction ends. Returns false if another process has locked it. */
  lock(transaction: Transaction): Promise<boolean>
}

/** Templates that are written and indexed. On PostgreSQL, this is one statement, except for new traits. */
export interface IndexedWrite {
  ids: number[]
  /** They must not depend on each other's results. */
  statements: OperationNodeSource[]
  /** What the index then has of these templates; nothing changes for the others. */
  entries: IndexEntry[]
}

/** A list of ids, or all ids greater than `above` and at most `upTo`. */
export type IdRange = number[] | { above: number; upTo: number }

/** What the index has of one template. */
export interface IndexEntry {
  id: number
  foldedName: string
  /** Words of name, description and traits. */
  terms: string[]
  /** The values of its traits, and the elements of values that are lists. */
  traits: TraitEntry[]
  /** Whether the index already has this name. */
  hasSameName?: boolean
  /** How the traits differ from those in the index; undefined if that is unknown. */
  changedTraits?: { removed: TraitEntry[]; added: TraitEntry[] }
}

export interface TraitEntry {
  /** Made by `typeKey`. */
  type: string
  /** Made by `valueKey` or `elementKey`. */
  key: string
}

/** Queries of the traits. */
export interface Traits {
  /** Tests whether a row of `product_template` has such an entry of a trait: of the first type that the store knows. */
  test(types: string[], condition: EntryCondition): RawBuilder<SqlBool>
  /** Selects the ids of the templates with such an entry, possibly with duplicates. */
  find(types: string[], condition: EntryCondition): RawBuilder<number>
  /** Selects the most frequent values of a trait, optionally among some templates; ties are ordered by text. */
  selectValues(type: string, first: number, among?: Int32Array): RawBuilder<TraitValue>
  /** Selects the most frequent values of each trait of a few templates, ordered by trait, then as in `selectValues`. */
  selectValuesOf(ids: Int32Array, first: number, types?: string[]): RawBuilder<TraitValue & { type: string }>
  /** Returns the stored form of a key, which may be shorter. */
  storedKey(key: string): string
  /** The entries of a trait that facets show, optionally of some templates, in the form of {@link entriesOf}. */
  shownEntries(type: string, among?: Int32Array): RawBuilder<unknown>
  /** The entries of a trait, optionally of a few templates: the SQL after `from`. Further conditions may follow. */
  entriesOf(types: string[], few?: RawBuilder<number>): RawBuilder<unknown>
  /** All entries of a few templates, in the form of {@link entriesOf}. */
  entriesOfTemplates(ids: Int32Array): RawBuilder<unknown>
  /** Tests whether facets show an entry. */
  isShown: RawBuilder<SqlBool>
  /** Converts a text such as `12`, `1.50` or `1,50` to a number; null for any other, and for one of over 15 characters. */
  numberIn(text: Expression<string | null>): RawBuilder<number | null>
}

/** A condition on the entries of a trait. The empty condition means all entries. */
export interface EntryCondition {
  /** Entries with one of these keys. */
  keys?: string[]
  /** Strings that contain this text, and elements of a list that equal it. */
  part?: string
  /** Numbers within these bounds, also as text. */
  bounds?: Bounds
}

export interface Bounds {
  gt?: number
  gte?: number
  lt?: number
  lte?: number
}

export interface TraitValue {
  key: string
  /** Formatted for display. */
  text: string
  /** Number of templates with this value. */
  count: number
}

/** Full-text search of each engine over the terms of templates. Terms come from `searchTerms`. */
export interface Search {
  /** Tests whether each term is the prefix of a word of the template. */
  matches(id: Expression<number>, terms: string[]): RawBuilder<SqlBool>
  /** Selects the ids of the templates that `matches` accepts. */
  ids(terms: string[]): RawBuilder<number>
  /** Selects those of `words` that are the beginning of a term of any template. */
  selectExisting(words: string[]): RawBuilder<{ word: string }>
  /** Selects templates whose folded name may contain `part`, by its trigrams; undefined if no index helps. */
  namedLike(part: string): RawBuilder<number> | undefined
}
