/** The table of a shop with German headers: 120 products, three of which are wrong. */
import { writeXlsx } from 'hucre/xlsx'

const header = [
  'Artikelnummer',
  'Bezeichnung',
  'Preis',
  'Gewicht',
  'Lagerbestand',
  'Eingeführt',
  'Material',
  'Foto'
]

interface Product {
  sku: string
  name: string
  /** In cents. */
  price: number
  /** In grams. */
  weight: number
  stock: number
  /** A day that the calendar may not have. */
  since: [year: number, month: number, day: number]
  material: string
  photo: string
}

/** The rows with a number that another row has, without a number, and with a day that does not exist. */
export const wrongRows = { twice: 12, empty: 40, noDay: 77 }

export const products: Product[] = Array.from({ length: 120 }, (_, at) => {
  const line = at + 2
  return {
    sku: line === wrongRows.empty ? '' : `OUT-${line === wrongRows.twice ? 1001 : 1000 + at}`,
    name: `${['Fjäll Jacke', 'Wald Stiefel', 'Bergsee Zelt'][at % 3]} ${at}`,
    price: at === 0 ? 123_450 : 990 + at * 1370,
    weight: 250 + at * 125,
    stock: at % 7,
    since: line === wrongRows.noDay ? [2026, 2, 31] : [2026, 1 + (at % 12), 1 + (at % 28)],
    material: ['Wolle', 'Leder', 'Nylon'][at % 3] as string,
    photo: `https://shop.example.com/${at}.jpg`
  }
})

const german = (number: number, digits: number): string =>
  number.toLocaleString('de-DE', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const formatDay = ([year, month, day]: Product['since']): string =>
  `${[day, month].map(part => String(part).padStart(2, '0')).join('.')}.${year}`

/** The table as a spreadsheet in German saves it. */
export const toGermanCsv = (rows = products): string =>
  `\uFEFF${[
    header,
    ...rows.map(({ sku, name, price, weight, stock, since, material, photo }) => [
      ...[sku, name, `${german(price / 100, 2)} €`, `${german(weight / 1000, 3)} kg`, String(stock)],
      ...[formatDay(since), material, photo]
    ])
  ]
    .map(cells => cells.join(';'))
    .join('\r\n')}\r\n`

/** The same table as a workbook, which has numbers and dates as such, and the units in their formats. */
export const toWorkbook = (rows = products): Promise<Uint8Array> =>
  writeXlsx({
    sheets: [
      {
        name: 'Artikel',
        rows: [
          header,
          ...rows.map(({ sku, name, price, weight, stock, since, material, photo }) => {
            const [year, month, day] = since
            const date = new Date(Date.UTC(year, month - 1, day))
            const isDay = date.getUTCDate() === day
            return [
              ...[sku, name, price / 100, weight / 1000, stock],
              ...[isDay ? date : formatDay(since), material, photo]
            ]
          })
        ] as never
      }
    ]
  })
