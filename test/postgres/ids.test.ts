// Runs on PostgreSQL only.
/** The ids of new templates come from a sequence, so that writers do not wait for each other. */
import { sql } from 'kysely'
import { t } from 'tap'
import type { Db } from '../../db/schema.ts'
import { takeId } from '../../db/templates/writing/write.ts'
import { defaultValues, maxInt } from '../../domain/columns.ts'
import * as store from '../../store.ts'
import { database } from '../support/service/service.ts'

const values = {
  ...defaultValues,
  name: 'One',
  publicProduct: true,
  componentName: 'A',
  data: '{}'
}
const validation = { validation: 'off' } as const

/** Creates a template and returns its id, or why there is none. */
async function create(db: Db, id?: number): Promise<number | string | undefined> {
  const { product, problems } = await store.templates.create(db, { ...values, id }, { validation })
  return product?.id ?? problems[0]?.code
}

t.test('one that is being created holds up no other', async t => {
  const db = await database(t)
  t.equal(await create(db), 1)
  await db.transaction().execute(async first => {
    t.equal(await takeId(first), 2)
    t.equal(await create(db), 3)
  })
  t.equal(await create(db), 4, 'an id that was not used in the end is a gap')
  const many = await Promise.all(Array.from({ length: 50 }, () => create(db)))
  t.equal(new Set(many).size, 50)
})

t.test('ids that a writer chooses move it, also by plain SQL, and used ones are not given again', async t => {
  const db = await database(t)
  t.equal(await create(db, 7), 7)
  t.equal(await create(db), 8)
  await sql`insert into product_template (id, name, name_folded, name_key, blockchain_id, max_items, public_product,
    component_name, time_created, time_modified, data) select 40, name, name_folded, name_key, blockchain_id, max_items,
    public_product, component_name, time_created, time_modified, data from product_template where id = 7`.execute(
    db
  )
  t.equal(await create(db), 41)
  await store.templates.delete(db, 41)
  // As a replica of another server, which does not copy sequences.
  await sql`select setval('product_template_id', 6)`.execute(db)
  t.equal(await create(db), 42)
  t.equal(await create(db), 43)
})

t.test('at its end, the free ids before it are found', async t => {
  const db = await database(t)
  t.equal(await create(db, maxInt), maxInt)
  t.same(await Promise.all([create(db), create(db), create(db)]).then(ids => ids.toSorted()), [1, 2, 3])
})
