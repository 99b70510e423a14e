import { setTimeout } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { StartError } from '../../../runtime/host-errors.ts'
import type { Db } from '../../schema.ts'
import { type Engine, findDialect, type VersionRow } from '../interface.ts'
import { SqliteDialect } from './dialect.ts'
import { busyPause } from './handle.ts'
import { selectNumbers, sqliteSearch, sqliteTraits } from './index-queries.ts'
import { sqliteIndex } from './index-tables.ts'
import { checkSpace, openForThread, openMigrated, openReadOnly } from './open.ts'

const versionText = 'group_concat(value)'
const versionsQuery = CompiledQuery.raw(
  `select name, ${versionText} as value from product_version group by name`
) as CompiledQuery<VersionRow>

export const sqliteEngine: Engine = {
  name: 'sqlite',
  open: openMigrated,
  openForThread,
  async openReplica() {
    throw new StartError('PTS_BAD_DATABASE', 'only PostgreSQL has replicas')
  },
  openReadOnly,
  index: sqliteIndex,
  search: sqliteSearch,
  traits: sqliteTraits,
  syntax: {
    comparison: '"a" = ?',
    // Without statistics, SQLite would prefer the index of a condition.
    tableInOrder: index =>
      sql.raw(`product_template${index ? ` indexed by product_template_by_${index}` : ''}`),
    isOneOf: (id, ids) => sql`${id} in (${selectNumbers(ids)})`,
    collectIds: (query, limit = -1) => sql`with found (id) as (${query})
      select json_group_array(id) as ids from (select id from found limit ${limit})`,
    versionText: sql.raw(versionText),
    isIn: (part, text) => sql`instr(${text}, ${part}) > 0`,
    // Not needed, because BEGIN IMMEDIATE has locked the file.
    lockRows: sql``,
    findTable: name => sql`select 1 from sqlite_master where type = 'table' and name = ${name}`
  },
  readVersions: async db => ({ mark: undefined, rows: (await db.executeQuery(versionsQuery)).rows }),
  // Not needed, because the statements name their indexes.
  analyze: async () => {},
  takeIds: undefined,
  // Not needed, because BEGIN IMMEDIATE has locked the file.
  lock: async () => {},
  letOthersWrite: () => setTimeout(2 * busyPause),
  async checkWritable(db) {
    const file = await findFile(db)
    if (file !== undefined) await checkSpace(file)
  },
  async eraseRemains(db) {
    await sql`vacuum`.execute(db)
    const deadline = performance.now() + readersTimeout
    while (!(await emptyLog(db))) {
      if (performance.now() > deadline) return false
      await setTimeout(readersPause)
    }
    return true
  },
  readMetricValues: db => findDialect(db, SqliteDialect)?.readMetricValues() ?? {},
  observeWriters: (db, observe) => findDialect(db, SqliteDialect)?.observeWriters(observe) ?? (() => {}),
  findFile,
  forOperation: db => db,
  checkTypes: async () => {}
}

/** Milliseconds that `eraseRemains` waits for readers of older contents. */
const readersTimeout = 10_000
/** Milliseconds between its attempts. */
const readersPause = 50

/** Moves the write-ahead log into the file. Returns false if a reader still needs the log. */
async function emptyLog(db: Db): Promise<boolean> {
  const { rows } = await sql<{ busy: 0 | 1 }>`pragma wal_checkpoint(truncate)`.execute(db)
  return rows[0]?.busy === 0
}

async function findFile(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{
    file: string
  }>`select file from pragma_database_list where name = 'main'`.execute(db)
  return rows[0]?.file || undefined
}
