// Runs on SQLite only: no database is involved.
/** What the form and the table change in the text of a document. */
import { t } from 'tap'
import { changeText } from '../../explorer/edit/text-edit.ts'
import fc from '../support/generated/fast-check.ts'
import { seed } from '../support/generated/seed.ts'

t.test('an element is removed from a list, wherever it is and however the text is written', async () => {
  const lists = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 4 })
  const property = fc.property(lists, fc.nat(), fc.constantFrom(undefined, 1, 2, '\t'), (list, at, space) => {
    const index = at % list.length
    const text = changeText(JSON.stringify({ list, more: 1 }, null, space), ['list', index], undefined)
    const expected = JSON.stringify({ list: list.toSpliced(index, 1), more: 1 })
    if (JSON.stringify(JSON.parse(text)) !== expected) throw new Error(`it is ${text}`)
  })
  fc.assert(property, { seed, numRuns: 1000 })
})

t.test('the rest of the text stays', async t => {
  for (const [text, index, changed] of [
    ['{"a":[1,2]}', 1, '{"a":[1]}'],
    ['{"a":[{"b":1} ,{"b":2}\n]}', 1, '{"a":[{"b":1}\n]}'],
    ['{"a":[1,  2 ,3]}', 1, '{"a":[1,  3]}'],
    ['{"a":[ 1 ]}', 0, '{"a":[]}']
  ] as const)
    t.equal(changeText(text, ['a', index], undefined), changed)
})
