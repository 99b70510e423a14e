// Runs on SQLite only, undisturbed, in test:all only: PostgreSQL works in separate processes.
/**
 * As availability.test.ts, with the widest and deepest operations that the schema and the limits allow. Each commit
 * takes one of `parts` of them; `SECONDS=60` takes all.
 */
import { parse, validate } from 'graphql'
import { sql } from 'kysely'
import { t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { releaseAllChanges } from '../../../db/templates/changes/changes.ts'
import { openDatabase } from '../../../features/database.ts'
import { maxImported } from '../../../graphql/admission/values.ts'
import { seedLoad } from '../../../seeds/seed.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { seed } from '../../support/generated/seed.ts'
import { addClient, addUser, cheapHash } from '../../support/service/service.ts'
import { schema } from '../generate.ts'
import { check, megabyte, watched } from './check.ts'
import { widestImports, widestOperations } from './widest.ts'

const parts = Number(process.env.SECONDS ?? 0) >= 60 ? 1 : 32
const part = seed % parts
const isChosen = (_query: string, index: number) => index % parts === part
const templates = 1000
/** Templates with as many revisions as a page may have. */
const changed = 100
const revisions = 100
/** Bytes that an answer may have when the limit on cost ends it. */
const maxAnswer = 16 * megabyte
/** Bytes of an import: its templates as text, as values and as rows. */
const requestMemory = 32 * megabyte

// On a busy machine.
t.setTimeout(1_800_000)

t.test('the widest and deepest operations', async t => {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  const given = await addHistory(db)
  await addUser(db)
  await addClient(db)
  await db.destroy()
  const { service, tokens } = await watched(t, url)
  const operations = [...new Set(widestOperations(given))]
  const imports = [...widestImports()]
  const problems = [...operations, ...imports].flatMap(query => validate(schema, parse(query)))
  t.same(problems, [], 'the operations are valid')
  for (const query of operations.filter(isChosen))
    await t.test(query.slice(0, 200), async t => check(t, service, tokens, { query }, { maxAnswer }))

  await t.test('imports of as many templates as allowed', async t => {
    const attributes = Array.from({ length: 6 }, (_, n) => ({
      traitType: `trait ${n}`,
      value: 'a value of it'
    }))
    const template = {
      blockchainId: 1,
      maxItems: 1,
      name: 'imported',
      document: { name: 'imported', attributes }
    }
    const input = Array(maxImported).fill(template)
    for (const query of imports.filter(isChosen))
      await t.test(query.slice(0, 200), async t =>
        check(t, service, tokens, { query, variables: { input } }, { maxAnswer, requestMemory })
      )
    await t.test('the last of as many values as allowed is wrong', async t => {
      const attributes = Array(33_000)
        .fill({ traitType: 'x', value: 'x' })
        .with(-1, { traitType: 'x', value: 1.5 })
      const query = 'mutation($input: [ImportProductInput!]!) { importProducts(input: $input) { created } }'
      const variables = { input: [{ ...template, document: { attributes } }] }
      const { codes } = await check(t, service, tokens, { query, variables }, { requestMemory })
      t.same(codes, ['BAD_USER_INPUT'])
    })
  })
})

/** Adds templates; the feed begins with the many revisions of a few. Returns arguments that find one of these. */
async function addHistory(db: Db) {
  await seedLoad(db, cheapHash, templates, () => {})
  const { id } = await db.selectFrom('product_template').select('id').orderBy('id').executeTakeFirstOrThrow()
  const few = sql`id in (select id from product_template order by id limit ${changed})`
  for (let revision = 2; revision < revisions; revision++)
    await sql`update product_template set max_items = ${revision} where ${few}`.execute(db)
  await sql`update product_template set data = '{"name":"last"}' where id = ${id}`.execute(db)
  await releaseAllChanges(db)
  const { hash } = await db
    .selectFrom('product_revision')
    .select('hash')
    .where('template_id', '=', id)
    .orderBy('number')
    .executeTakeFirstOrThrow()
  const filtered = { fields: '[COMPONENT_NAME, BLOCKCHAIN_ID, PUBLIC_PRODUCT]', limit: '1000' }
  return { ...filtered, id: `${id}`, hash: `"${hash}"`, number: '1', from: '1', to: `${revisions}` }
}
