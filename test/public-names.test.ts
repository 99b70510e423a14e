// Runs on SQLite only.
/** The list of public names says what a change adds, removes or renames. */
import { t } from 'tap'
import { readDocument } from '../build/docs.ts'
import { listPublicNames, namesFile } from '../build/public-names.ts'

t.test('public names change on purpose only', async t => {
  const names = await listPublicNames()
  const listed = readDocument(namesFile).trimEnd().split('\n')
  t.ok(listed.length > 1000)
  t.same(names, [...new Set(names)], 'each name is listed once')
  const changed = {
    added: names.filter(name => !listed.includes(name)),
    removed: listed.filter(name => !names.includes(name))
  }
  t.same(
    changed,
    { added: [], removed: [] },
    `if that is on purpose, run \`npm run docs\`, which writes ${namesFile}`
  )
})
