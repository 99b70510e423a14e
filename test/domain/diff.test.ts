import { t } from 'tap'
import { defaultValues } from '../../domain/columns.ts'
import { diffRevisions } from '../../domain/diff.ts'

/** A revision whose document has as many lists in each other as two documents may have to be compared. */
function makeRevision(revision: number) {
  const data = JSON.stringify({ x: Array.from({ length: 98 }).reduce<unknown>(inner => [inner], revision) })
  const times = { timeCreated: '', timeModified: '' }
  return { ...defaultValues, id: 1, maxItems: 1, name: 'x', publicProduct: false, ...times, data, revision }
}

t.test('other work runs while two revisions are compared', async t => {
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const { patch, text } = await diffRevisions(makeRevision(1), makeRevision(2))
  clearImmediate(next)
  t.ok(patch && text)
  t.ok(turns > 0, 'the event loop has turned')
})
