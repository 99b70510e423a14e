import { CompiledQuery, Kysely, type QueryExecutor, sql } from 'kysely'
import { StartError } from '../../../runtime/host-errors.ts'
import type { Database, Db } from '../../schema.ts'
import { isUnavailable } from '../faults.ts'
import { type Engine, findDialect, type OperationDbOptions, type VersionReading } from '../interface.ts'
import { preparedQuery } from '../prepared.ts'
import type { Connection } from './connection.ts'
import { PostgresPoolDialect } from './dialect.ts'
import { postgresSearch, postgresTraits, toArray } from './index-queries.ts'
import { postgresIndex } from './index-tables.ts'
import { migrationTimeout, openMigrated, openPool, openReadOnly, openReplica } from './open.ts'

/** Seconds that a process waits for the migrations of another process. */
const lockTimeout = 60
/** Rows that exceed the least work_mem, so that the server writes them to a file, which needs space on the disk. */
const spilledRows = 5000
/** Keys of the advisory locks, in ASCII: "product", "newid", "import" and "prfeed". */
const locks = {
  migrations: sql.lit(0x70726f64756374),
  ids: sql.lit(0x6e65776964),
  imports: sql.lit(0x696d706f7274),
  changes: sql.lit(0x707266656564)
}

/** A mark of {@link Engine.readVersions}: it identifies the commits of a server. */
interface Commits {
  snapshot: string
  /** Server processes that reported this snapshot. After a crash, its transaction ids may repeat in other processes. */
  processes: Set<number>
  /** Whether nothing was committed between the last two readings. */
  isQuiet: boolean
}

/** Server processes to remember. Connections come and go. */
const maxProcesses = 100

/** The answer of a server about its commits. */
interface ServerState {
  /** null on a standby, because its snapshot does not list the transactions of the primary. */
  snapshot: string | null
  /** The server process that answered. */
  process: number
  /** The versions as a JSON array. */
  rows: string | null
}

const snapshotText = `concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time())`
const versionText = `string_agg(concat(number, ':', counter, ':', value), ',' order by number)`
const snapshotQuery = preparedQuery(
  CompiledQuery.raw(`select ${snapshotText} as snapshot, pg_backend_pid() as process`)
)
const versionsQuery = preparedQuery(
  CompiledQuery.raw(`select case when not pg_is_in_recovery() then ${snapshotText} end as snapshot,
    pg_backend_pid() as process, (select json_agg(found)::text from (
      select name, ${versionText} as value from product_version group by name
    ) as found) as rows`)
)

/** PostgreSQL. Every lock ends with its transaction, so that a pooler may reuse the connection. */
export const postgresEngine: Engine = {
  name: 'postgres',
  open: openMigrated,
  openForThread: openPool,
  openReplica,
  openReadOnly,
  index: postgresIndex,
  search: postgresSearch,
  traits: postgresTraits,
  syntax: {
    comparison: '"a" = $1',
    tableInOrder: () => sql`product_template`,
    // The server makes a hash table of an array. With a subquery, it may go through all ids for each row.
    isOneOf: (id, ids) => sql`${id} = any(${toArray(ids)}::integer[])`,
    collectIds: (query, limit) => sql`with found (id) as (${query})
      select array_to_json(array(select id from found limit ${limit ?? null}::bigint))::text as ids`,
    versionText: sql.raw(versionText),
    isIn: (part, text) => sql`strpos(${text}, ${part}) > 0`,
    lockRows: sql`for update`,
    findTable: name => sql`select 1 from pg_tables
      where schemaname = current_schema() and tablename = ${name}`
  },
  readVersions,
  async analyze(db) {
    const statement = sql`vacuum (analyze) product_template, product_trait, product_search`
    // If this fails, such as after a timeout, autovacuum does the same later.
    await statement.execute(db).catch(error => {
      if (!isUnavailable(error)) throw error
    })
  },
  takeIds: (count, mayBeUsed) => sql`select id::integer, pg_advisory_xact_lock_shared(${locks.ids})
    from (select nextval('product_template_id') as id from generate_series(1, ${count}::integer) offset 0) as next
    where ${mayBeUsed(sql`next.id`)}`,
  async lock(transaction, subject) {
    if (subject === 'migrations')
      await sql`select set_config('statement_timeout', ${`${migrationTimeout}s`}, true),
        set_config('lock_timeout', ${`${lockTimeout}s`}, true)`.execute(transaction)
    await sql`select pg_advisory_xact_lock(${locks[subject]})`.execute(transaction)
  },
  // Not needed, because a lock goes to whoever has waited longest.
  letOthersWrite: async () => {},
  async checkWritable(db) {
    // The statement locks no row. A read-only server refuses it, and the connection to that server is then closed.
    await sql`select name from product_migration where false for update`.execute(db)
    await sql`select count(*) from (select set_config('work_mem', '64kB', true) as set offset 0) as limited,
      lateral generate_series(1, ${sql.lit(spilledRows)} + 0 * length(limited.set))`.execute(db)
  },
  async eraseRemains(db, tables) {
    const before = await findKeyFile(db)
    for (const table of tables) await sql`vacuum (full) ${sql.table(table)}`.execute(db)
    // A role without the right to vacuum gets only a warning.
    return (await findKeyFile(db)) !== before
  },
  readMetricValues: db => findDialect(db, PostgresPoolDialect)?.readMetricValues() ?? {},
  observeWriters: () => () => {},
  findFile: async () => undefined,
  forOperation: limitOperations,
  async checkTypes(db) {
    const { rows } = await sql<{
      time: unknown
      count: unknown
    }>`select '2026-01-02T03:04:05.67890Z'::timestamptz as time, 1::bigint as count`.execute(db)
    if (rows[0]?.time === '2026-01-02T03:04:05.678900Z' && rows[0].count === 1) return
    throw new StartError(
      'PTS_BAD_DATABASE',
      'this connection loses digits of timestamps or counts: create its pg.Pool with `types: postgresTypes`'
    )
  }
}

/**
 * Asks whether anything was committed, and reads the rows only then, because a statement that may read them takes
 * longer. While there are commits all the time, reads the rows without asking.
 */
async function readVersions(db: Db, lastMark: unknown): Promise<VersionReading> {
  const last = lastMark as Commits | undefined
  const seen = last?.isQuiet ? ((await db.executeQuery(snapshotQuery)).rows[0] as ServerState) : undefined
  if (last && seen?.snapshot === last.snapshot && last.processes.has(seen.process))
    return { mark: lastMark, rows: undefined }
  const { snapshot, process, rows } = (await db.executeQuery(versionsQuery)).rows[0] as ServerState
  const reading: VersionReading = { mark: undefined, rows: JSON.parse(rows ?? '[]') }
  if (snapshot === null) return reading
  const isQuiet = !last || snapshot === last.snapshot
  const processes = new Set(isQuiet && (last?.processes.size ?? 0) < maxProcesses ? last?.processes : [])
  if (seen?.snapshot === snapshot) processes.add(seen.process)
  return { ...reading, mark: { snapshot, processes: processes.add(process), isQuiet } satisfies Commits }
}

/** The executors of databases for operations. Their connections wait for a place among the operations. */
const limitedExecutors = new WeakSet<QueryExecutor>()

/**
 * Returns the same database for an operation, which waits for a place among the operations before it takes a
 * connection. When the signal aborts, its running statement is canceled and rejects with the reason of the signal.
 */
function limitOperations(db: Db, options: OperationDbOptions): Db {
  const dialect = findDialect(db, PostgresPoolDialect)
  const executor = db.getExecutor()
  if (!dialect || limitedExecutors.has(executor)) return db
  const provideConnection: QueryExecutor['provideConnection'] = async consumer => {
    // Read only now, because an operation makes its signal when it is first asked for it.
    const { signal } = options
    const leave = await dialect.enterOperation(signal)
    let ours: Connection | undefined
    try {
      return await executor.provideConnection(connection => {
        ours = connection as Connection
        ours.signal = signal
        return consumer(ours)
      })
    } finally {
      // The place becomes free only with the connection. Otherwise the next operation would take the connection that is
      // reserved for tokens and probes.
      if (ours?.released) void ours.released.then(leave)
      else leave()
    }
  }
  const operation = executor.withConnectionProvider({ provideConnection })
  limitedExecutors.add(operation)
  const driver = dialect.createDriver()
  return new Kysely<Database>({ config: { dialect }, dialect, driver, executor: operation })
}

/** Returns the name of the file that has the table of signing keys. A new file has no bytes of replaced keys. */
async function findKeyFile(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{
    file: string
  }>`select pg_relation_filenode('product_signing_key')::text as file`.execute(db)
  return rows[0]?.file
}
