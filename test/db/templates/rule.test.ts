/** What a rule permits in memory is what a search finds, also of odd texts and numbers. */
import { sql } from 'kysely'
import { t } from 'tap'
import { listChanges, releaseChanges, selectVisibleChanges } from '../../../db/templates/changes/changes.ts'
import { typeKey } from '../../../db/templates/filter/keys.ts'
import { planFilter } from '../../../db/templates/filter/plan.ts'
import type { TemplateWithRevision } from '../../../db/templates/product-templates.ts'
import { permits, readRule, toRule } from '../../../db/templates/rule.ts'
import { fullRights, lockTemplates } from '../../../db/templates/writing/rights.ts'
import { transact } from '../../../db/transaction.ts'
import { isWithin, maxTurn } from '../../graphql/availability/check.ts'
import fc from '../../support/generated/fast-check.ts'
import { addTemplates, database } from '../../support/service/service.ts'

const oddTexts = [
  ...[
    '',
    'Port',
    'Portugal',
    'true',
    'null',
    '%',
    '_',
    '\\',
    "a'b",
    '"',
    'a b',
    'a\0',
    'a\ufffd',
    '\ud83c',
    '\u{1f34f}'
  ],
  ...['7', '7.5', '1,5', '1,500', '-0', '--1', '1-', '.5', '5.', '1e21', '+5', ' 7', '7\n', '٣', '½'],
  ...[
    '123456789012345',
    '1234567890123456',
    '-1234567890123456',
    '12345678901234567',
    '123456789012.25',
    '1234567890123.25'
  ],
  ...[
    '2026-03-01',
    '2026-03-01T',
    '2026-03-01T23:30Z',
    '2026-03-31',
    '2026-02-30',
    '0000-00-00',
    '9999-99-99'
  ],
  ...['2026-03-01\n', '2026-03-01 ', '2026-03-1', '٢٠٢٦-٠٣-٠١', `2026-03-01T${'0'.repeat(100)}`],
  ...[
    'ς',
    'σ',
    'ΟΔΟΣ',
    'οδος',
    'İ',
    'i\u0307',
    'ı',
    'ß',
    'ẞ',
    'é',
    'e\u0301',
    'K',
    'ǆ',
    'ﬁ',
    '한',
    'Ａｂｃ',
    '№7№'
  ],
  ...[
    `a${'\u0301'.repeat(35)}`,
    'x'.repeat(100),
    'x'.repeat(101),
    `${'x'.repeat(101)}y`,
    '\u{1f34f}'.repeat(51)
  ],
  ...['w'.repeat(40), 'w'.repeat(41), '\u{20000}'.repeat(41), 'w4999', 'w5001']
]
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...oddTexts) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...oddTexts), fc.constantFrom(...oddTexts)).map(pair => pair.join(''))
  }
)
const storedText = text.map(one => one.replaceAll('\0', '').toWellFormed())
const number = fc.constantFrom(
  0,
  -0,
  7,
  7.5,
  -1,
  1e21,
  1e300,
  5e-324,
  0.1,
  0.1 + 0.2,
  2 ** 53,
  123456789012345
)
const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
const value = fc.oneof(
  ...[text, number, fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 3 })],
  fc.constantFrom<unknown[]>({}, { a: [1] }, [1, 'a'], [null], deep(100), deep(101))
)
const type = fc.constantFrom('A', 'a', '', '__proto__', 'İ', 'a\0', 'T'.repeat(100), 'T'.repeat(101))
const manyWords = Array.from({ length: 5100 }, (_, at) => `w${at}`).join(' ')

const integer = fc.integer({ min: -1, max: 30 })
const integers = {
  equals: integer,
  in: fc.array(integer),
  gt: integer,
  gte: integer,
  lt: integer,
  lte: integer
}
const time = fc.constantFrom('2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05Z', '1999-12-31T23:59:59.9Z')
const storedTime = fc.constantFrom('2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05.000000Z')
const times = { gt: time, gte: time, lt: time, lte: time }

const template = fc.record({
  maxItems: fc.constantFrom(1, 7, 30),
  timeCreated: storedTime,
  timeModified: storedTime,
  name: storedText,
  componentName: storedText,
  blockchainId: fc.constantFrom(-1, 0, 7),
  publicProduct: fc.boolean(),
  data: fc
    .record(
      {
        productId: fc.oneof(text, number, fc.constant(null)),
        description: fc.oneof(
          { weight: 9, arbitrary: text },
          { weight: 1, arbitrary: fc.constant(manyWords) }
        ),
        attributes: fc.array(fc.record({ trait_type: type, value }, { requiredKeys: ['trait_type'] }), {
          maxLength: 5
        })
      },
      { requiredKeys: [] }
    )
    .map(document => JSON.stringify(document))
})

const some = <T extends object>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record(fields, { requiredKeys: [] })
const texts = { equals: text, in: fc.array(text, { maxLength: 3 }) }
const date = fc.constantFrom('0001-01-01', '2026-02-28', '2026-03-01', '2026-03-31', '9999-12-31')
const dates = some({ gt: date, gte: date, lt: date, lte: date })
const bounds = { gt: number, gte: number, lt: number, lte: number }
const condition = fc.oneof(
  fc.record({ name: some({ ...texts, contains: text, startsWith: text }) }),
  fc.record({ componentName: some(texts) }),
  fc.record({ blockchainId: some({ gt: fc.constantFrom(-1, 7), in: fc.constant([-0, 7]) }) }),
  fc.record({ id: some(integers) }),
  fc.record({ maxItems: some(integers) }),
  fc.record({ publicProduct: fc.record({ equals: fc.boolean() }) }),
  fc.record({ timeCreated: some(times) }),
  fc.record({ timeModified: some(times) }),
  fc.record({ productId: some(texts) }),
  fc.record({ search: text }),
  ...[
    ...[{ equals: value }, { in: fc.array(value) }, { contains: text }, bounds, { exists: fc.boolean() }],
    { date: dates }
  ].map(more =>
    fc.record({ trait: fc.record({ type, ...more } as { type: typeof type }, { requiredKeys: ['type'] }) })
  )
)
const where = fc.letrec<{ where: object }>(tie => ({
  where: fc.oneof(
    { maxDepth: 3 },
    condition,
    fc.record({ not: tie('where') }),
    fc.record({ and: fc.array(tie('where'), { maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('where'), { maxLength: 3 }) })
  )
})).where

t.test('a rule permits what its filter finds', async t => {
  const db = await database(t)
  const made = fc.sample(template, 30)
  await addTemplates(db, ...made)
  const { templates } = await transact(db, transaction =>
    lockTemplates(transaction, [...made.keys()], fullRights)
  )
  const idsOf = (list: { id: number }[]) => list.map(({ id }) => id)
  let compared = 0
  for (const given of fc.sample(where, 250)) {
    const rule = tryToRead(given)
    if (!rule) continue
    const permitted = idsOf([...templates.values()].filter(one => permits(rule, one)))
    const plan = planFilter(db, rule.filter)
    const { rows } = await sql<{
      id: number
    }>`select id from product_template where ${plan.test} order by id`.execute(db)
    const found = [...(await plan.findIds(db))].sort((one, other) => one - other)
    const what = JSON.stringify(given)
    if (`${found}` !== `${permitted}` || `${idsOf(rows)}` !== `${permitted}`)
      t.same([found, idsOf(rows)], [permitted, permitted], what)
    compared++
  }
  t.ok(compared > 50)
})

t.test('a rule may name every integer that a template has', async t => {
  for (const equals of [-(2 ** 31), 2 ** 31 - 1]) t.doesNotThrow(() => readRule({ blockchainId: { equals } }))
  for (const equals of [-(2 ** 31) - 1, 2 ** 31, 0.5]) t.throws(() => readRule({ blockchainId: { equals } }))
})

t.test('a truncated name of a trait means to a subscription what it means to a search', async t => {
  const db = await database(t)
  const long = 'Name '.repeat(40)
  const shown = typeKey(long)
  const withTraits = (id: number, ...types: string[]) => {
    const attributes = types.map(trait_type => ({ trait_type, value: 'v' }))
    return addTemplates(db, { id, data: JSON.stringify({ attributes }) })
  }
  const rule = toRule({ trait: { type: shown, contains: 'v' } })
  const find = async () => {
    const plan = planFilter(db, rule.filter)
    const found = await plan.findIds(db)
    await releaseChanges(db)
    const seen = await selectVisibleChanges(db, rule.filter, await listChanges(db, 0, 10))
    return [[...found].sort(), seen.map(({ id }) => id).sort()]
  }
  await withTraits(0, long)
  t.same(await find(), [[0], [0]])
  await withTraits(1, shown)
  await withTraits(2, long, shown)
  t.same(await find(), [
    [0, 1, 2],
    [0, 1, 2]
  ])
})

t.test('many conditions on many traits take no longer than a turn may', async t => {
  const attributes = Array.from({ length: 9000 }, (_, value) => ({ trait_type: 'a', value }))
  const db = await database(t)
  await addTemplates(db, { id: 1, data: JSON.stringify({ attributes }) })
  const names = Array.from({ length: 200 }, (_, name) => 'é'.repeat(900) + name)
  const rule = readRule({ or: names.map(type => ({ trait: { type } })) })
  // The machine may make a pause in one of them.
  const times: number[] = []
  while (times.length < 4) {
    const { templates } = await transact(db, transaction => lockTemplates(transaction, [1], fullRights))
    const [template] = templates.values()
    const before = process.threadCpuUsage()
    t.notOk(permits(rule, template as TemplateWithRevision))
    times.push(process.threadCpuUsage(before).user / 1000)
  }
  t.ok(isWithin(Math.min(...times), maxTurn), `${times} ms`)
})

/** A generated filter may be too large, or empty. */
function tryToRead(given: object) {
  try {
    return readRule(JSON.parse(JSON.stringify(given)))
  } catch {
    return undefined
  }
}
