import { sql } from 'kysely'
import type { Engine } from '../engine.ts'
import { SqliteFileAdapter } from './dialect.ts'
import { eraseRemains } from './erase.ts'
import { sqliteIndex } from './index-tables.ts'
import { selectNumbers } from './numbers.ts'
import { checkSpace } from './probe.ts'
import { sqliteSearch } from './search.ts'
import { sqliteTraits } from './traits.ts'

/** SQLite. */
export const sqliteEngine: Engine = {
  name: 'sqlite',
  isServer: false,
  index: sqliteIndex,
  search: sqliteSearch,
  traits: sqliteTraits,
  walkOrder: column => sql`product_template ${sql.raw(orderIndexes[column] ?? '')}`,
  listIds: selectNumbers,
  lookUp({ ids, listed }, most) {
    // The index that lists them has all columns of a condition. SQLite may prefer the index of another condition or of
    // the order, in which many rows are in range.
    const index = sql.raw((listed && indexes[listed.column]) ?? '')
    const isListed = listed?.test ?? sql`product_template.id in (${ids})`
    return {
      from: sql`counted cross join product_template ${index}`,
      test: sql`counted.candidates <= ${most} and ${isListed}`
    }
  },
  isOneOf: (id, ids) => sql`${id} in (${selectNumbers(ids)})`,
  collectIds: (query, limit = -1) => sql`with found (id) as (${query})
    select json_group_array(id) as ids from (select id from found limit ${limit})`,
  joinTexts: column => sql`group_concat(${sql.ref(column)})`,
  isIn: (part, text) => sql`instr(${text}, ${part}) > 0`,
  // Not needed: BEGIN IMMEDIATE has locked the file.
  lockRows: sql``,
  lockIds: async () => {},
  commitMark(db) {
    const { adapter } = db.getExecutor()
    return adapter instanceof SqliteFileAdapter ? adapter.commitMark() : undefined
  },
  // Not needed: the statements name their indexes.
  analyze: async () => {},
  schema: async () => undefined,
  // Not needed: BEGIN IMMEDIATE has locked the file.
  lockMigrations: async () => {},
  lockChanges: async () => {},
  limitLockWait: async () => {},
  async checkWritable(db) {
    const { rows } = await sql<{
      file: string
    }>`select file from pragma_database_list where name = 'main'`.execute(db)
    const file = rows[0]?.file
    if (file) await checkSpace(file)
  },
  eraseRemains,
  readFigures(db) {
    const { adapter } = db.getExecutor()
    return adapter instanceof SqliteFileAdapter ? adapter.readFigures() : {}
  },
  observeWriters(db, observe) {
    const { adapter } = db.getExecutor()
    return adapter instanceof SqliteFileAdapter ? adapter.observeWriters(observe) : () => {}
  },
  checkTypes: async () => {}
}

/** Without statistics, SQLite prefers an index for a condition to the index of the order. */
const orderIndexes: Record<string, string> = {
  time_modified: 'indexed by product_template_by_modified',
  time_created: 'indexed by product_template_by_created',
  name_key: 'indexed by product_template_by_name'
}
const indexes: Record<string, string> = { ...orderIndexes, id: 'indexed by product_template_by_id' }
