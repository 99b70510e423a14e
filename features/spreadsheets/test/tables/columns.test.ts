// Runs on SQLite only: import.test.ts and store.test.ts write to both engines.
/** One odd document does not make the table of all others useless. */
import { parse } from 'csv-parse/sync'
import { t } from 'tap'
import { defaultValues, type ProductTemplate } from '../../../../domain/columns.ts'
import { csv } from '../../formats.ts'

const time = '2026-01-02T03:04:05.678901Z'
const makeTemplate = (id: number, document: object): ProductTemplate => ({
  ...defaultValues,
  ...{ id, name: `n${id}`, timeCreated: time, timeModified: time, data: JSON.stringify(document) }
})
const usual = (id: number) =>
  makeTemplate(id, { name: `n${id}`, serial: id, attributes: [{ trait_type: 'MadeIn', value: 'Peru' }] })
const odd = makeTemplate(7, {
  ...Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key${at}`, at])),
  [`long${'x'.repeat(2000)}`]: 1,
  attributes: Array.from({ length: 20_000 }, (_, at) => ({ trait_type: `T${at}`, value: at }))
})

function write(templates: ProductTemplate[], withoutData = false) {
  const notes: string[] = []
  const note = (message: string) => notes.push(message)
  async function* pages() {
    for (let start = 0; start < templates.length; start += 1000) yield templates.slice(start, start + 1000)
  }
  return { notes, parts: csv.write(pages, { withoutData, note }) }
}

t.test('rare keys have no column, and the data of all templates is there', async t => {
  const templates = [odd, ...Array.from({ length: 20 }, (_, at) => usual(10 + at))]
  const { notes, parts } = write(templates)
  let text = ''
  for await (const part of parts) text += part
  t.same(notes, ['23634 rare keys and traits have no column: the column data has them'])
  async function* whole() {
    yield Buffer.from(text)
  }
  const read: unknown[] = []
  for await (const { values, problems } of csv.read(whole(), { find: async () => [] }))
    read.push(problems?.length ? problems : values)
  t.same(read, templates)
})

t.test('the more templates, the fewer columns for rare keys; frequent ones always have one', async t => {
  const header = async (count: number, withoutData = false) => {
    const templates = [odd, ...Array.from({ length: count }, (_, at) => usual(10 + at))]
    const { notes, parts } = write(templates, withoutData)
    const { value } = await parts.next()
    const [names = []] = parse(value as string) as string[][]
    t.ok(
      ['id', 'document.description', 'document.serial', 'trait:MadeIn'].every(name => names.includes(name))
    )
    return { width: names.length, notes }
  }
  t.match(await header(20), { width: 16_384 })
  t.match(await header(5000), { width: 3354 })
  t.match(await header(20_000, true), {
    width: 1000,
    notes: [/^\d+ rare keys and traits have no column: export ndjson to keep them$/]
  })
})

t.test('a row with very many traits takes time in proportion to them', async t => {
  const count = 100_000
  const header = ['name', ...Object.keys(usual(1)).filter(name => /^(block|max|public|comp)/.test(name))]
  const traits = Array.from({ length: count }, (_, at) => `trait:T${at}`)
  const cells = ['A', ...header.slice(1).map(name => String(usual(1)[name as 'maxItems']))]
  async function* whole() {
    yield Buffer.from(`${[...header, ...traits].join()}\n${[...cells, ...traits.keys()].join()}\n`)
  }
  const read = csv.read(whole(), { find: async () => [] })
  const { value } = await read[Symbol.asyncIterator]().next()
  const { attributes } = JSON.parse(value?.values?.data as string)
  t.equal(attributes.length, count)
  t.same(attributes.at(-1), { trait_type: `T${count - 1}`, value: count - 1 })
})
