/** Triggers write the history, and each writer signs what they have written for it. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { t } from 'tap'
import { findTemplateAt, listRevisions } from '../../../../db/templates/revisions/revisions.ts'
import { readRule } from '../../../../db/templates/rule.ts'
import { fullRights } from '../../../../db/templates/writing/rights.ts'
import {
  createTemplate,
  deleteTemplate,
  restoreTemplate,
  updateTemplate
} from '../../../../db/templates/writing/write.ts'
import { defaultValues } from '../../../../domain/columns.ts'
import { onlyOn } from '../../../support/database/only-on.ts'
import { database } from '../../../support/service/service.ts'

const values = {
  ...defaultValues,
  name: 'One',
  publicProduct: true,
  componentName: 'A',
  data: '{}'
}
const validation = { validation: 'off' } as const
const by = (subject: string) => ({ author: { ...fullRights, subject, clientId: 'page' }, validation })

t.test('writers of the same id at the same time each sign their own revision', async t => {
  const db = await database(t)
  const signed = new Map<number, string>()
  const note = async (subject: string, write: Promise<{ revision: number | null }>) => {
    const { revision } = await write
    if (revision === null) return
    t.notOk(signed.has(revision), `${subject} is the only author of revision ${revision}`)
    signed.set(revision, subject)
  }
  for (let round = 0; round < 25; round++) {
    const of = (what: string) => `${what} ${round}`
    await Promise.all([
      note(of('create'), createTemplate(db, { id: 5, ...values }, by(of('create')))),
      note(of('again'), createTemplate(db, { id: 5, ...values, data: '[]' }, by(of('again')))),
      note(of('delete'), deleteTemplate(db, 5, by(of('delete')))),
      note(of('update'), updateTemplate(db, 5, { data: `[${round}]` }, by(of('update')))),
      note(of('restore'), restoreTemplate(db, 5, 1, by(of('restore'))))
    ])
  }
  const revisions = (await listRevisions(db, 5, 1000)).toReversed()
  t.same(
    revisions.map(({ number, subject }) => [number, subject]),
    [...signed].sort(([one], [other]) => one - other)
  )
  t.same(
    revisions.map(({ number }) => number),
    revisions.map((_, index) => index + 1)
  )
  for (const { number, action, hash: stored } of revisions) {
    const found = await findTemplateAt(db, 5, number)
    t.equal(found === undefined, action === 'DELETE')
    t.equal(stored, found ? hash('sha256', found.data) : null)
  }
})

onlyOn('sqlite', 'nothing is written if the triggers are missing', async t => {
  const db = await database(t)
  await createTemplate(db, { id: 5, ...values }, by('ada'))
  for (const trigger of ['created', 'revised', 'removed'])
    await sql`drop trigger ${sql.table(`product_template_${trigger}`)}`.execute(db)
  const missing = { message: 'a template has no revision: the triggers are missing' }
  await t.rejects(createTemplate(db, { id: 6, ...values }, by('bob')), missing)
  await t.rejects(updateTemplate(db, 5, { name: 'Two' }, by('bob')), missing)
  await t.rejects(deleteTemplate(db, 5, by('bob')), missing)
  const stored = await db.selectFrom('product_template').select(['id', 'name']).execute()
  t.same(stored, [{ id: 5, name: 'One' }])
  t.same(
    (await listRevisions(db, 5, 10)).map(({ subject }) => subject),
    ['ada']
  )
})

t.test('the rule of an author is tested on all that a change stores, such as its time', async t => {
  const db = await database(t)
  const { product } = await createTemplate(db, values, { validation, author: fullRights })
  const rule = readRule({ timeModified: { lte: product?.timeModified } })
  const options = { author: { ...fullRights, rule }, validation }
  const outside = { message: 'the template would be outside the rule of your account' }
  await t.rejects(updateTemplate(db, 1, { name: 'Two' }, options), outside)
  t.equal((await updateTemplate(db, 1, { name: 'One' }, options)).revision, null)
})
