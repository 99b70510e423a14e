import { defaultValues } from '../../../domain/columns.ts'
import {
  areMostly,
  type Fits,
  guessKind,
  guessNotation,
  hasForm,
  isWhole,
  isYesOrNo
} from '../notations/guess.ts'
import { isLink, type Notation } from '../notations/normalize.ts'
import { type AmountKind, amounts, findCurrency, findUnit, isUnitOf } from '../notations/numbers.ts'
import { isSheetError } from './cell.ts'
import { readColumn } from './columns.ts'
import { type ColumnTarget, type Kind, keyKinds, keyOf, type Mapping, numberKinds } from './mapping.ts'
import type { TableRow } from './table.ts'

type GivenRow = Pick<TableRow, 'cells' | 'numbers' | 'units'>

/**
 * A possible target of a column, its kind, its usual names in lower case letters and digits, and the form that most
 * values must have.
 */
const targets: [to: string, as: Kind, names: string, fits?: Fits][] = [
  ['id', 'number', 'id templateid', isWhole],
  [
    'name',
    'text',
    'name title productname producttitle product article item titel bezeichnung artikel produkt produktname nombre producto titulo nom titre produit designation libelle intitule nome'
  ],
  [
    'document.productId',
    'text',
    'productid sku articlenumber articleno itemnumber itemno productnumber productno number no ref reference gtin ean upc barcode artikelnummer artikelnr artnr nummer referencia',
    text => /^\d+$/.test(text)
  ],
  [
    'document.description',
    'text',
    'description text details about beschreibung descripcion descriptif descricao'
  ],
  [
    'document.image',
    'picture',
    'image imageurl picture photo bild foto imagen image1 picture1 photo1 bild1 foto1',
    isLink
  ],
  [
    'document.external_url',
    'link',
    'externalurl url link website producturl webseite web enlace lien',
    isLink
  ],
  [
    'maxItems',
    'number',
    'maxitems supply maxsupply edition quantity qty units menge anzahl auflage cantidad quantite quantidade',
    text => isWhole(text) && Number(text) > 0
  ],
  ['publicProduct', 'boolean', 'publicproduct public published visible publico', isYesOrNo],
  ['blockchainId', 'number', 'blockchainid blockchain chainid chain', isWhole],
  ['componentName', 'text', 'componentname component'],
  [
    'trait:MadeIn',
    'text',
    'madein country origin countryoforigin land herkunft herkunftsland pais origen pays'
  ],
  ['trait:ProductType', 'text', 'producttype type category kind kategorie typ art categoria categorie tipo'],
  ['trait:FeaturesArray', 'list', 'featuresarray features tags merkmale caracteristicas'],
  ['trait:UnitsProduced', 'number', 'unitsproduced produced', isWhole],
  ['trait:EmailOptional', 'boolean', 'emailoptional', isYesOrNo],
  ...[1, 2, 3, 4, 5, 6].map((n): [string, Kind, string, Fits] => [
    `trait:IPFSproductPhoto${n}`,
    'picture',
    `ipfsproductphoto${n} image${n} picture${n} photo${n} bild${n} foto${n}`,
    isLink
  ])
]

/** The usual names of columns that identify a product, the most telling first. */
const keyNames = (
  'sku artikelnummer artikelnr artnr articlenumber articleno itemnumber itemno productnumber productno productid ' +
  'produktnummer produktnr referencia reference handle mpn gtin ean upc isbn barcode ref nummer number no'
).split(' ')

/**
 * Guesses what the columns of a table become, from their names and values. A column without values is left out. An
 * unknown column becomes a trait with its name. `traits` are the names of existing traits.
 */
export function guessMapping(names: string[], rows: GivenRow[], traits: Iterable<string>): Mapping {
  const existing = new Map(Array.from(traits, trait => [normalize(trait), trait]))
  const taken = new Set<string>()
  const isOfExport = names.some(name => name === 'data' || /^(document\.|trait:)/.test(name))
  // The ids of a shop are not those of the templates, which an import would change.
  const hasOtherKey = names.some(name => keyNames.includes(normalize(name)))
  const findTrait = (name: string, as: Kind): string => {
    const hasUnit = (trait: string) => {
      const [, start = '', unit = ''] = /^(.*)(\(\S+\))$/.exec(trait) ?? []
      return normalize(start) === normalize(name) && [findCurrency, findUnit].some(find => find(unit))
    }
    const others = numberKinds.includes(as) ? [...existing.values()] : []
    return existing.get(normalize(name)) ?? others.find(hasUnit) ?? name
  }
  const guess = (name: string, index: number): ColumnTarget | null => {
    const all = listValues(rows, index)
    if (all.length === 0) return null
    const right = all.filter(value => !isSheetError(value))
    const values = right.length > 0 ? right : all
    if (isOfExport && readColumn(name)) {
      taken.add(name)
      return { to: name, as: 'value' }
    }
    const usual = targets.find(
      ([to, , names, fits]) =>
        !(taken.has(to) || (to === 'id' && hasOtherKey)) &&
        names.split(' ').includes(normalize(name)) &&
        (!fits || areMostly(values, fits))
    )
    const guessed = guessKindOf(name, values)
    // A letter at the end of a product number is no unit.
    const isCode = guessed === 'decimal' && keyNames.includes(normalize(name))
    const as = usual?.[1] ?? (isCode ? 'text' : guessed)
    const to = usual?.[0] ?? `trait:${findTrait(nameAmount(name, as, values), as)}`
    if (taken.has(to)) return null
    taken.add(to)
    const notation = guessNotationOf(as, rows, index)
    return askForUnit(name, { to, as, ...(notation && { notation }) })
  }
  const columns = Object.fromEntries(names.map((name, index) => [name, guess(name, index)]))
  const candidates = names.filter((name, index) => mayBeKey(columns[name], index, rows))
  const named = keyNames.flatMap(usual => candidates.filter(name => normalize(name) === usual))
  const fields = ['id', 'document.productId', 'name'].filter(to => taken.has(to))
  const to = fields[0] === 'id' ? 'id' : (columns[named[0] ?? '']?.to ?? fields[0])
  return { columns, defaults: { ...defaultValues }, key: keyOf(to ?? '') ?? null }
}

/** Guesses the kind of a column. Its name may say that its numbers are amounts of money. */
function guessKindOf(name: string, values: string[]): Kind {
  const kind = guessKind(values)
  const isMoney = findCurrency(name) && areMostly(values, value => hasForm('money', value))
  return numberKinds.includes(kind) && isMoney ? 'money' : kind
}

/** Lists the cells of a column that have a value. A number of a workbook has the currency or unit of its format. */
export const listValues = (rows: GivenRow[], index: number): string[] =>
  rows.flatMap(({ cells, units }) => {
    const text = cells[index]?.replaceAll(/\p{Cf}/gu, '').trim() ?? ''
    if (units?.[index] === undefined) return text || []
    const amount = `${text} ${units[index]}`
    return Object.values(amounts).some(({ split }) => split(amount)?.number === text) ? amount : text || []
  })

/** Whether a column may identify products: at least half of the rows have a value that no row before has. */
export function mayBeKey(target: ColumnTarget | null | undefined, index: number, rows: GivenRow[]): boolean {
  if (!target || !keyOf(target.to) || !keyKinds.includes(target.as)) return false
  return new Set(listValues(rows, index)).size >= rows.length / 2
}

/** Returns the name of a column as that of a trait: in one line. */
export const nameTrait = (column: string): string => column.replaceAll(/\s+/g, ' ')

/**
 * Names a trait like its column, with the currency or unit of most cells. A name that has another one stays if some
 * cells have none, because they are in that of the name.
 */
export function nameAmount(column: string, as: Kind, values: string[]): string {
  const name = nameTrait(column)
  if (!Object.hasOwn(amounts, as)) return name
  const { split, find } = amounts[as as AmountKind]
  const units = values.flatMap(value => split(value)?.unit || [])
  const counts = Map.groupBy(units, unit => unit)
  const [found] = [...counts].sort(([, { length }], [, other]) => other.length - length)
  const expected = find(name)
  if (!found || (expected && isUnitOf(found[0], expected))) return name
  const [unit, { length }] = found
  // A rare unit may be a typing error, such as `1l` for 11.
  const isOfAll = expected ? units.length === values.length : as === 'money' || length >= values.length / 2
  return isOfAll ? `${name} (${unit})` : name
}

/** Whether only the name of the trait has a unit, so that a number of the column may be in any other one. */
export const mayLackUnit = (name: string, { to, as }: ColumnTarget): boolean =>
  ['number', 'decimal'].includes(as) && findUnit(name) === undefined && findUnit(to) !== undefined

/**
 * Makes a number without a unit a problem where it may be in another one. The number with its unit may have decimals.
 */
export const askForUnit = (name: string, { needsUnit, ...target }: ColumnTarget): ColumnTarget =>
  mayLackUnit(name, target) ? { ...target, as: 'decimal', needsUnit: true } : target

/** Lists the cells of a column that have a notation. Numbers of a workbook have none. */
export const listWritten = (rows: GivenRow[], index: number): string[] =>
  listValues(
    rows.filter(({ numbers }) => !numbers?.includes(index)),
    index
  )

/** Guesses the notation of a column. */
export const guessNotationOf = (as: Kind, rows: GivenRow[], index: number): Notation | undefined =>
  guessNotation(as, listWritten(rows, index))

/** Removes case, accents, spaces and punctuation other than units. */
const normalize = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Sc}%]/gu, '')
