/** Templates leave in tables and come back. */
import { t } from 'tap'
import { demoTemplates } from '../../../seeds/seed.ts'
import { checkUnchecked, emptyStore, nastyTemplates } from '../../../test/cli/import-files.ts'
import { runInside } from '../../../test/cli/inside.ts'
import { checkAnswers } from '../../../test/db/templates/answers.ts'
import { awkwardTemplates } from '../../../test/graphql/reading/store.ts'
import { engine } from '../../../test/support/database/database.ts'
import { onlyOn } from '../../../test/support/database/only-on.ts'
import { openDatabase } from '../../database.ts'

/** Formats do not know the engine. So PostgreSQL needs only the one in which every value is a text. */
const formats = engine === 'postgres' ? ['csv'] : ['csv', 'xlsx']

t.test('what is exported and imported again is the same to the byte', async t => {
  const awkward = awkwardTemplates(250)
  const demo = demoTemplates.map((demo, index) => ({ ...demo, id: 1000 + index }))
  const nasty = nastyTemplates.map((nasty, index) => ({ ...nasty, id: 2000 + index }))
  const templates = [...awkward, ...demo, ...nasty]
  const first = await emptyStore(t)
  await first.fill(templates)
  for (const format of formats) {
    const file = first.path(`all.${format}`)
    t.equal((await runInside(t, ['export', file], first.env)).code, 0)
    const second = await emptyStore(t)
    t.equal((await runInside(t, ['import', file], second.env)).code, 0)
    t.same(await second.templates(), templates, format)
    const db = await openDatabase(second.env.DATABASE_URL)
    await checkAnswers(t, db, templates, 'filters find them')
    await db.destroy()
    const again = await runInside(t, ['import', '--replace', file], second.env)
    t.match(again.stderr, `Imported templates: 0 new, ${templates.length} unchanged.\n`)
    t.same(await second.templates(), templates, 'no time has changed')
  }
})

t.test('what is not JSON is imported only without checks, and is then the same to the byte', t =>
  checkUnchecked(t, formats)
)

onlyOn(
  'sqlite',
  'problems of a spreadsheet name its columns; documents that fail the checks are warnings',
  async t => {
    const store = await emptyStore(t)
    const file = await store.write(
      'owner.csv',
      `id;blockchainId;maxItems;name;publicProduct;componentName;document.name;trait:MadeIn;trait:EmailOptional
1;1;10;A;TRUE;DefaultProduct;A;"Pe\nru";FALSE
2;1;0;B;yes;DefaultProduct;B;7;maybe
3;1;5;C;false;TrackingRecord;12;;
`
    )
    const checked = await runInside(t, ['import', '--dry-run', file], store.env)
    const lines = checked.stderr.split('\n').filter(line => line.startsWith(file))
    t.same(
      lines.map(line => line.slice(file.length).replace(/ [^:]* \(/, ' … (')),
      [
        ':4 column trait:MadeIn: warning: … (data: /attributes/0/value)',
        ':4 column trait:EmailOptional: warning: … (data: /attributes/1/value)',
        ':4 column maxItems: … (/maxItems)',
        ':4 column publicProduct: … (/publicProduct)',
        ':5 column document.name: warning: … (data: /name)'
      ]
    )
    const enforced = await runInside(
      t,
      ['import', '--validation', 'enforce', '--on-problem', 'skip', file],
      store.env
    )
    t.equal(enforced.code, 0)
    t.match(enforced.stderr, 'Imported templates: 1 new; 2 of 3 records have problems and were skipped.')
    t.same(
      (await store.templates()).map(({ data }) => data),
      [
        '{"name":"A","attributes":[{"trait_type":"MadeIn","value":"Pe\\nru"},{"trait_type":"EmailOptional","value":false}]}'
      ]
    )
  }
)
