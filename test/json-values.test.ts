// Runs on SQLite only: it needs no database.
import { t } from 'tap'
import { measureJson } from '../runtime/json-values.ts'
import fc from './support/generated/fast-check.ts'

const countLevels = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(countLevels)) : 0

t.test('a text is measured as JSON.stringify would indent it', async t => {
  const isRight = fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
    const indented = JSON.stringify(value, null, 2)
    const { levels, lines, characters } = measureJson(JSON.stringify(value, null, indent))
    return (
      levels === countLevels(value) && lines === indented.split('\n').length && characters === indented.length
    )
  })
  t.doesNotThrow(() => fc.assert(isRight, { numRuns: 1000 }))
})

t.test('any text is measured', async t => {
  const texts = fc
    .array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', ' ', 'x'))
    .map(some => some.join(''))
  const isCounted = fc.property(texts, text => measureJson(text).levels <= text.length)
  t.doesNotThrow(() => fc.assert(isCounted, { numRuns: 1000 }))
  t.equal(measureJson('['.repeat(1_000_000)).levels, 1_000_000)
})
