// Runs on SQLite only: no database is involved.
/** Tables as shops and their owners write them: what the columns become, and what arrives. */
import { t } from 'tap'
import { defaultValues } from '../../../../domain/columns.ts'
import { csv } from '../../formats.ts'
import { guessMapping } from '../../tables/guess.ts'
import { readRow } from '../../tables/row.ts'
import { openTable, type TableRow } from '../../tables/table.ts'

/** Guesses the mapping of a table, and reads its first row by it. */
async function importFirst(text: string) {
  async function* input() {
    yield Buffer.from(text)
  }
  const table = await openTable(csv.rows(input(), {}))
  const rows: TableRow[] = []
  for await (const row of table.rows) rows.push(row)
  const mapping = guessMapping(table.names, rows, [])
  const { value } = await csv.read(input(), { mapping, find: async () => [] }).next()
  const { values, problems } = value as { values: { name?: string; data?: string }; problems: unknown }
  const { name, data = '{}' } = values
  const traits = JSON.parse(data).attributes.map(Object.values)
  return { mapping, name, traits: Object.fromEntries(traits), problems }
}

t.test('the ids of a shop are no ids of templates, if it has numbers of its own', async t => {
  const { mapping, traits } = await importFirst('ID,Artikelnummer,Name\n101,HEM-01,Hemd\n')
  t.match(mapping, { columns: { ID: { to: 'trait:ID' } }, key: 'trait:Artikelnummer' })
  t.same(traits, { ID: 101, Artikelnummer: 'HEM-01' })
  t.equal((await importFirst('ID,Name\n101,Hemd\n')).mapping.key, 'id')
  t.equal((await importFirst('id,name,document.productId,SKU\n1,Hemd,A,B\n')).mapping.key, 'id', 'an export')
})

t.test('the apostrophe with which a shop keeps the digits of a barcode is not a part of it', async t => {
  const { traits } = await importFirst(
    "Handle,Title,Variant Barcode,Note\nmug,Mug,'0036000291452,'90s\npot,Pot,'4006381333948,it's\n"
  )
  t.same(traits, { Handle: 'mug', 'Variant Barcode': '0036000291452', Note: "'90s" })
  const years = await importFirst("Artikel,Jahrgang\nWein,'68\nSaft,1990er\n")
  t.same(years.traits, { Jahrgang: "'68" })
  const codes = await importFirst("SKU,Name,Code\n'4012345,Mug,'7\nA-1,Pot,'100\n")
  t.same(codes.traits, { SKU: "'4012345", Code: "'7" }, 'as they were stored before')
  for (const value of [4012345, '4012345']) {
    const stored = {
      ...{ ...defaultValues, id: 1, name: 'Mug' },
      data: JSON.stringify({ attributes: [{ trait_type: 'EAN', value }] })
    }
    const columns = [{ kind: 'trait', name: 'EAN', header: 'EAN', index: 0, as: 'text' } as const]
    const { values } = readRow({ cells: ["'4012345"] }, columns, { stored })
    t.equal(values.data, stored.data, 'a stored number stays as it is')
  }
})

t.test('a stored key with an apostrophe is found, as the table was read before', async t => {
  async function* input() {
    yield Buffer.from("SKU,Name\n'42,Mug\n'4012345,Pot\n'0036000291452,Jug\n'4006381333948,Can\n")
  }
  const columns = { SKU: { to: 'trait:SKU', as: 'text' }, Name: { to: 'name', as: 'text' } } as const
  const mapping = { columns, defaults: defaultValues, key: 'trait:SKU' } as const
  const asked: string[] = []
  const find = async (_: unknown, keys: string[]) => {
    asked.push(...keys)
    return []
  }
  for await (const { problems } of csv.read(input(), { mapping, find })) t.same(problems, [])
  t.same(asked, ["'42", "'4012345", '0036000291452', '4006381333948'])
})

t.test('different words for yes are different values', async t => {
  t.same((await importFirst('Artikel;Achse\nStange;x\nRohr;y\n')).traits, { Achse: 'x' })
  t.same((await importFirst('Artikel;Lager\nStange;Ja\nRohr;nein\nStab;ja\n')).traits, { Lager: true })
})

t.test('a header of several lines names a trait in one', async t => {
  const { traits } = await importFirst('Artikel;"Preis\n(EUR)";"Länge\n  (cm)"\nStuhl;19,90;40,5 cm\n')
  t.same(traits, { 'Preis (EUR)': '19.90', 'Länge (cm)': '40.5' })
})

t.test('marks of the writing direction do not hide what a column is', async t => {
  const { traits } = await importFirst('Artikel;Preis\nStuhl;\u200e19,90 €\nTisch;\u200b99,00 €\n')
  t.same(traits, { 'Preis (EUR)': '19.90' })
})

t.test('a price without cents needs no currency', async t => {
  const { mapping, traits } = await importFirst("Artikel;Preis CHF;EK\nUhr;20.-;5,–\nBand;1'234.50;7,00\n")
  t.match(mapping.columns['Preis CHF'], { to: 'trait:Preis CHF', as: 'money' })
  t.same(traits, { 'Preis CHF': '20', EK: '5' })
})

t.test('names in French', async t => {
  for (const header of ['Désignation', 'Libellé', 'Nom']) {
    const { mapping, name } = await importFirst(`Référence;${header};Poids\nR1;Chaise dorée;1,2 kg\n`)
    t.equal(name, 'Chaise dorée')
    t.equal(mapping.key, 'trait:Référence')
  }
})
