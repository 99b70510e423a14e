/** The part of an import that knows no files: which templates are written, and when none is. */
import { sql } from 'kysely'
import pg from 'pg'
import { t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import { importInto } from '../../../../db/templates/import/import.ts'
import { fullRights } from '../../../../db/templates/writing/rights.ts'
import { transact } from '../../../../db/transaction.ts'
import { defaultValues, type ProductTemplate } from '../../../../domain/columns.ts'
import * as store from '../../../../store.ts'
import { insertProductTemplates } from '../../../support/database/insert.ts'
import { onlyOn } from '../../../support/database/only-on.ts'
import { addTemplates, database, storedTemplates } from '../../../support/service/service.ts'
import { until } from '../../../support/until.ts'

const values = {
  ...defaultValues,
  maxItems: 10,
  name: 'x',
  publicProduct: true,
  data: '{}'
}
const time = '2026-01-02T03:04:05.678901Z'
const records = (...given: object[]) =>
  given.map(fields => ({ values: { ...values, ...fields }, place: undefined }))
/** Whether somebody in this database waits for a lock. */
async function isWaited(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length > 0
}

const ids = (templates: ProductTemplate[]) => templates.map(({ id }) => id).toSorted((a, b) => a - b)

t.test('templates without an id come after all others, however many they are', async t => {
  const db = await database(t)
  const data = JSON.stringify({ description: 'x'.repeat(100_000) })
  // More characters than wait for the end.
  const many = Array.from({ length: 90 }, () => ({ data }))
  const result = await store.templates.import(db, records({ id: 7 }, ...many, { id: 5 }, { id: 2000 }))
  t.match(result, { written: true, read: 93, inserted: 93, refused: 0, problems: [] })
  const stored = ids(await storedTemplates(db))
  t.same(stored.slice(0, 3), [5, 7, 8])
  t.ok(stored.includes(91) && stored.includes(2000))
  const next = (stored.at(-1) ?? 0) + 1
  const late = await store.templates.import(db, records(...many, { id: next }))
  t.match(late, { written: false, problems: [{ code: 'DUPLICATE_ID', index: 90 }] })
  const full = await store.templates.import(db, records({ id: 2 ** 31 - 1 }, {}))
  t.match(full, { written: false, problems: [{ code: 'NO_FREE_ID', path: ['id'], pointer: null }] })
})

t.test('a template without an id replaces no other, even if the highest id is used', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 2 ** 31 - 3, name: 'kept' }, { id: 2 ** 31 - 1, name: 'kept' })
  for (const dryRun of [true, false]) {
    const result = await store.templates.import(db, records({}, {}), {
      existing: 'replace',
      onProblem: 'skip',
      dryRun
    })
    t.match(result, { inserted: 1, replaced: 0, refused: 1, problems: [{ code: 'NO_FREE_ID', index: 1 }] })
  }
  const stored = await storedTemplates(db)
  t.same(ids(stored), [2 ** 31 - 3, 2 ** 31 - 2, 2 ** 31 - 1])
  t.equal(stored.filter(({ name }) => name === 'kept').length, 2)
})

t.test('further checks refuse a template or only warn', async t => {
  const db = await database(t)
  const problem = { code: 'SCHEMA' as const, message: 'wrong', path: ['data'], pointer: '/a' }
  const check = (mode: 'problems' | 'warnings'): Parameters<typeof store.templates.import<undefined>>[2] => ({
    validate: ({ name }) => ({ problems: [], warnings: [], [mode]: name === 'bad' ? [problem] : [] })
  })
  const given = () => records({ id: 1 }, { id: 2, name: 'bad' }, { id: 3 })
  const refused = await store.templates.import(db, given(), check('problems'))
  t.match(refused, {
    written: false,
    refused: 1,
    warned: 0,
    problems: [{ ...problem, index: 1, warning: false }]
  })
  const checked = await store.templates.import(db, given(), { ...check('warnings'), dryRun: true })
  t.match(checked, { written: false, refused: 0, inserted: 3, warned: 1 })
  t.same(await storedTemplates(db), [])
  const written = await store.templates.import(db, given(), check('warnings'))
  t.match(written, {
    written: true,
    inserted: 3,
    warned: 1,
    problems: [{ ...problem, index: 1, warning: true }]
  })
  t.same(ids(await storedTemplates(db)), [1, 2, 3])
})

t.test('without further checks, data must be JSON', async t => {
  const db = await database(t)
  const given = records({ id: 1, data: 'hello {' }, { id: 2, data: '' }, { id: 3 })
  const refused = await store.templates.import(db, given, { onProblem: 'report' })
  t.match(refused, {
    written: false,
    refused: 2,
    problems: [{ code: 'INVALID_JSON' }, { code: 'INVALID_JSON' }]
  })
  t.same(await storedTemplates(db), [])
})

t.test('the revisions say who imported', async t => {
  const db = await database(t)
  const author = { subject: 'ada', clientId: 'app', message: 'first' }
  await store.templates.import(db, records({ id: 1 }, { id: 2 }), { author })
  await store.templates.import(db, records({ id: 1, name: 'y' }, { id: 2 }), { existing: 'replace' })
  const revisions = await db
    .selectFrom('product_revision')
    .select(['template_id', 'number', 'action', 'subject', 'client_id', 'message'])
    .orderBy('template_id')
    .orderBy('number')
    .execute()
  const first = { action: 'IMPORT', subject: 'ada', client_id: 'app', message: 'first' }
  t.same(revisions, [
    { template_id: 1, number: 1, ...first },
    { template_id: 1, number: 2, action: 'IMPORT', subject: null, client_id: null, message: null },
    { template_id: 2, number: 1, ...first }
  ])
})

t.test('in the transaction of a caller, an import with problems is undone', async t => {
  const db = await database(t)
  const given = records({ id: 2 }, { id: 1 }, { id: 3, maxItems: 0 })
  const result = await transact(db, async transaction => {
    await insertProductTemplates(transaction, [{ ...values, id: 1, timeCreated: time, timeModified: time }])
    return store.templates.import(transaction, given, { onProblem: 'report' })
  })
  t.match(result, {
    written: false,
    refused: 2,
    problems: [{ index: 2 }, { index: 1, code: 'ID_TAKEN' }]
  })
  t.same(
    (await storedTemplates(db)).map(({ id }) => id),
    [1]
  )
})

t.test('at most 1000 problems are listed, and all are reported', async t => {
  const db = await database(t)
  let reported = 0
  const many = records(...Array.from({ length: 1500 }, () => ({ maxItems: 0 })))
  const result = await store.templates.import(db, many, { onProblem: 'report', report: () => reported++ })
  t.same([result.refused, result.problems.length, reported], [1500, 1000, 1500])
})

t.test(
  'times that are absent are kept or moved on, and a replaced template keeps its time of creation',
  async t => {
    const db = await database(t)
    await addTemplates(db, { ...values, id: 1, timeCreated: time, timeModified: time })
    const replace = (fields: object) =>
      store.templates.import(db, records({ id: 1, ...fields }), { existing: 'replace' })
    const modified = async () => (await storedTemplates(db))[0]
    t.match(await replace({}), { unchanged: 1, replaced: 0 })
    t.match(await replace({ timeModified: '2026-01-02T03:04:05.678900Z' }), { unchanged: 1 }, 'an older time')
    t.equal((await modified())?.timeModified, time)
    t.match(await replace({ name: 'y', timeModified: time }), { replaced: 1 })
    const first = await modified()
    t.ok(first && first.timeModified > time && first.timeCreated === time)
    const later = '2999-01-02T03:04:05.678999Z'
    t.match(await replace({ name: 'y', timeModified: later }), { replaced: 1 })
    t.equal((await modified())?.timeModified, later)
    t.match(await replace({ name: 'z', timeCreated: later }), { replaced: 1 })
    t.match(await modified(), { timeModified: '2999-01-02T03:04:05.679000Z', timeCreated: later })
  }
)

onlyOn(
  'postgres',
  'a template that another writer has changed meanwhile is replaced by what follows it in time',
  async t => {
    const db = await database(t)
    await addTemplates(db, { ...values, id: 1, timeCreated: time, timeModified: time })
    const later = '2999-01-02T03:04:05.678901Z'
    const { promise: changed, resolve: haveChanged } = Promise.withResolvers<void>()
    const writing = db.transaction().execute(async transaction => {
      await transaction.updateTable('product_template').set({ time_modified: later }).execute()
      haveChanged()
      // Until the import waits for the lock.
      await until(() => isWaited(db))
    })
    await changed
    const result = await store.templates.import(db, records({ id: 1, name: 'y' }), { existing: 'replace' })
    await writing
    t.match(result, { written: true, replaced: 1 })
    t.match(await storedTemplates(db), [{ name: 'y', timeModified: '2999-01-02T03:04:05.678902Z' }])
  }
)

t.test('an import that fails in the middle leaves nothing, and the next one works', async t => {
  const db = await database(t)
  async function* failing() {
    yield* records(...Array.from({ length: 250 }, (_, id) => ({ id })))
    throw new Error('the disk is gone')
  }
  await t.rejects(store.templates.import(db, failing()), { message: 'the disk is gone' })
  t.same(await storedTemplates(db), [])
  t.match(await store.templates.import(db, records({ id: 1 })), { written: true, inserted: 1 })
})

onlyOn('postgres', 'no statement of a refused import comes after its rollback', async t => {
  const db = await database(t)
  const statements: string[] = []
  const { query } = pg.Client.prototype
  t.teardown(() => Object.assign(pg.Client.prototype, { query }))
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [given] = args as [{ text: string } | string]
    statements.push((typeof given === 'string' ? given : given.text).trim())
    return Reflect.apply(query, this, args)
  } as typeof query
  const data = '{"attributes":[{"trait_type":"MadeIn","value":"Peru"}]}'
  const many = Array.from({ length: 101 }, (_, id) => ({ id, data, maxItems: id < 100 ? 1 : 0 }))
  t.match(await store.templates.import(db, records(...many)), { written: false, refused: 1 })
  // Answered after all statements of that connection.
  const { rows } = await sql`select 1 from product_trait`.execute(db)
  t.same(rows, [])
  t.same(statements.slice(statements.indexOf('rollback') + 1), ['select 1 from product_trait'])
  t.ok(statements.some(text => text.includes('insert into product_search')))
})

t.test('what breaks a rule that the operator added is not written again', async t => {
  const db = await database(t)
  await sql`create unique index one_name on product_template (name)`.execute(db)
  const twice = records({ id: 1 }, { id: 2 })
  const error = await store.templates.import(db, twice).catch(error => error)
  t.match(error, { code: /^(23505|SQLITE_CONSTRAINT_UNIQUE)$/ })
  let runs = 0
  const insertTwice = transact(db, async transaction => {
    runs++
    await importInto(transaction, twice, { author: fullRights })
  })
  await t.rejects(insertTwice, { code: error.code })
  t.equal(runs, 1)
})

onlyOn('postgres', 'another writer of the same id is a conflict', async t => {
  const db = await database(t)
  const { promise: inserted, resolve: haveInserted } = Promise.withResolvers<void>()
  const writing = db.transaction().execute(async transaction => {
    await addTemplates(transaction, { id: 1 })
    haveInserted()
    // Until the import waits for the end of this transaction.
    await until(() => isWaited(db))
  })
  await inserted
  await t.rejects(store.templates.import(db, records({ id: 1 })), { message: /^another writer/ })
  await writing
})
