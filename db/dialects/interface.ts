/** The interface of an engine, and the shared parts of both drivers. */
import type { Dialect, Expression, RawBuilder, SqlBool } from 'kysely'
import { activeSpan, inSpan } from '../../runtime/tracing.ts'
import type { Db, Transaction } from '../schema.ts'
import type { postgresDefaults } from '../url.ts'
import type { IndexTables, Traits, WordSearch } from './template-index.ts'

/** Settings of a database. For a SQLite file, only `mustExist` counts. */
export interface DatabaseOptions extends Partial<typeof postgresDefaults> {
  /** Whether a missing database file is an error. */
  mustExist?: boolean
  /** Whether the server ends a statement if its connection closes, for a thread that may end at any time. */
  endsWithClient?: boolean
}

/** A database file. A file with another inode has replaced it and is refused. */
export interface DatabaseFile {
  path: string
  inode: number
}

/** How a GraphQL operation uses a database: the signal ends its statements, and its wait for a connection. */
export interface OperationDbOptions {
  signal?: AbortSignal | undefined
}

/** Everything that an engine must offer. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  /** Opens the database of a URL and calls `migrate`. Throws StartError if the database cannot be used. */
  open(url: string, options: DatabaseOptions, migrate: (db: Db) => Promise<unknown>): Promise<Db>
  /** Opens the database of a URL for another thread. Rejects if the URL now leads to another file than `file`. */
  openForThread(url: string, options: DatabaseOptions, file: DatabaseFile | undefined): Promise<Db>
  /** Opens connections to a replica, which may be unreachable now. Throws StartError if the engine has no replicas. */
  openReplica(url: string, options: DatabaseOptions): Promise<Db>
  /** Opens the database of a URL for reading only. The bytes of a file stay the same. */
  openReadOnly(url: string, settings: typeof postgresDefaults): Promise<Db>
  index: IndexTables
  search: WordSearch
  traits: Traits
  syntax: Syntax
  /**
   * Reads the versions in `product_version`. If nothing was committed since `lastMark`, PostgreSQL reads no rows.
   * SQLite reads them always, which takes no longer.
   */
  readVersions(db: Db, lastMark: unknown): Promise<VersionReading>
  /** Updates the statistics of the planner after many templates were written; not in a transaction. */
  analyze(db: Db): Promise<void>
  /**
   * Takes the next `count` ids of a sequence, selects those that `mayBeUsed` allows, and holds the lock `ids`, shared,
   * until the transaction ends. undefined if the engine has no sequence.
   */
  takeIds:
    | ((
        count: number,
        mayBeUsed: (id: RawBuilder<unknown>) => RawBuilder<boolean>
      ) => RawBuilder<{ id: number }>)
    | undefined
  /** Takes a lock until the transaction ends. Later statements see everything that was committed before the lock. */
  lock(transaction: Transaction, subject: 'migrations' | 'ids' | 'changes' | 'imports'): Promise<void>
  /** Lets other processes write between two transactions of a long job. */
  letOthersWrite(): Promise<void>
  /** Rejects if the database does not accept writes or has no space for them. Changes nothing. */
  checkWritable(db: Db): Promise<void>
  /** Removes the bytes of replaced rows from the files. Returns false if a reader of older contents prevents that. */
  eraseRemains(db: Db, tables: string[]): Promise<boolean>
  /** Reads the metrics of the connections or the file. A database that a host has opened has none. */
  readMetricValues(db: Db): Record<string, number | Record<string, number>>
  /** Calls a function with the seconds that each writer waited for the file. Returns the function that stops this. */
  observeWriters(db: Db, observe: (seconds: number) => void): () => void
  /** Returns the path of the database file; undefined if the database has none. */
  findFile(db: Db): Promise<string | undefined>
  /** Implements `operationDb`. The database must not be a transaction. */
  forOperation(db: Db, options: OperationDbOptions): Db
  /** Throws StartError if a connection of a host changes the values that it reads. */
  checkTypes(db: Db): Promise<void>
}

/** Parts of statements that differ between the engines. */
interface Syntax {
  /** `"a" = 0` as Kysely writes it for this engine. It identifies the engine of a host's Kysely instance. */
  comparison: string
  /** Names the table of templates to read it in the order of the index `product_template_by_…`. */
  tableInOrder(index: string | undefined): RawBuilder<unknown>
  /** Tests whether the id of a row is in a long list. */
  isOneOf(id: RawBuilder<unknown>, ids: Int32Array | number[]): RawBuilder<SqlBool>
  /** Selects the first `limit` ids of a query, in its order, as one JSON text. This is cheaper than one row per id. */
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
  /** Identifies the commits before the reading; undefined if they are unknown. Only the engine interprets it. */
  mark: unknown
  /** undefined if nothing was committed since `lastMark`. */
  rows: VersionRow[] | undefined
}

/** A version. On PostgreSQL, `value` has all its rows. */
export interface VersionRow {
  name: 'templates' | 'access'
  value: string
}

/**
 * Returns the dialect of a database, of this class; undefined for the Kysely instance of a host. All Kysely instances
 * of a database share its adapter, so our adapters have their dialect.
 */
export function findDialect<Own extends Dialect>(
  db: Db,
  dialectClass: new (...parameters: never[]) => Own
): Own | undefined {
  const { dialect } = db.getExecutor().adapter as { dialect?: Dialect }
  return dialect instanceof dialectClass ? dialect : undefined
}

/** Implements Kysely's streams of rows, which this program does not use. */
export function refuseStream(): never {
  throw new Error('streams are not supported')
}

/** Maximum characters of a statement in a trace. A trace has no parameters. */
const longestText = 2000

/** Runs a statement, in a span if the request is traced. */
export function traceStatement<T>(
  system: 'sqlite' | 'postgresql',
  sql: string,
  run: () => Promise<T>
): Promise<T> {
  if (!activeSpan.getStore()) return run()
  const [, operation = 'statement'] = /^\s*(\w+)/.exec(sql) ?? []
  const [, table] = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql) ?? []
  const name = [operation.toUpperCase(), table].filter(Boolean).join(' ')
  const attributes = {
    'db.system.name': system,
    'db.operation.name': operation.toUpperCase(),
    'db.query.text': sql.slice(0, longestText),
    ...(table && { 'db.collection.name': table })
  }
  return inSpan(name, attributes, run, system === 'postgresql' ? 'client' : 'internal')
}
