import { defaultValues } from '../../../domain/columns.ts'
import { integer } from '../../../runtime/json-values.ts'
import { readColumn } from './columns.ts'
import { anyNumber, isYesOrNo } from './convert.ts'
import type { ColumnTarget, Kind, Mapping } from './mapping.ts'

/** Maximum number of rows for guessing a mapping. */
export const rowsToGuess = 200

type Fits = (text: string) => boolean

/** Whether a text has the form of a link. */
export const isLink: Fits = text => /^(?:[a-z][a-z0-9+.-]*:|\{ipfs_url\}\/)\S*$/i.test(text)
const isWhole: Fits = text => integer.test(text)

/**
 * A possible target of a column, its kind, its usual names in lower case letters and digits, and the form that most values
 * must have.
 */
const targets: [to: string, as: Kind, names: string, fits?: Fits][] = [
  ['id', 'number', 'id templateid', isWhole],
  [
    'name',
    'text',
    'name title productname producttitle product article item titel bezeichnung artikel produkt produktname nombre producto titulo nom titre produit nome'
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
    'text',
    'image imageurl picture photo bild foto imagen image1 picture1 photo1 bild1 foto1',
    isLink
  ],
  [
    'document.external_url',
    'text',
    'externalurl url link website producturl webseite web enlace lien',
    isLink
  ],
  [
    'maxItems',
    'number',
    'maxitems supply maxsupply edition quantity qty stock units menge anzahl auflage cantidad quantite quantidade',
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
  ...[1, 2, 3, 4, 5, 6].map((n): [string, Kind, string] => [
    `trait:IPFSproductPhoto${n}`,
    'text',
    `ipfsproductphoto${n} image${n} picture${n} photo${n} bild${n} foto${n}`
  ])
]

/** Kinds of values for traits that the JSON Schema does not know, the narrowest first. */
const kindTests: [Kind, Fits][] = [
  ['number', isWhole],
  ['decimal', text => anyNumber.test(text)],
  ['boolean', isYesOrNo]
]

/**
 * Guesses what the columns of a table become, from their names and values. A column without values is left out. An
 * unknown column becomes a trait with its name. `traits` are the names of existing traits.
 */
export function guessMapping(names: string[], rows: string[][], traits: Iterable<string>): Mapping {
  const existing = new Map(Array.from(traits, trait => [normalize(trait), trait]))
  const taken = new Set<string>()
  const isOfExport = names.some(name => name === 'data' || /^(document\.|trait:)/.test(name))
  const guess = (name: string, index: number): ColumnTarget | null => {
    const values = rows.map(row => row[index]?.trim() ?? '').filter(value => value !== '')
    if (values.length === 0) return null
    if (isOfExport && readColumn(name)) {
      taken.add(name)
      return { to: name, as: 'value' }
    }
    const usual = targets.find(
      ([to, , names, fits]) =>
        !taken.has(to) && names.split(' ').includes(normalize(name)) && (!fits || areMostly(values, fits))
    )
    const [to, as] = usual ?? [`trait:${existing.get(normalize(name)) ?? name}`, guessKind(values)]
    if (taken.has(to)) return null
    taken.add(to)
    return { to, as }
  }
  const columns = Object.fromEntries(names.map((name, index) => [name, guess(name, index)]))
  const key = taken.has('id') ? 'id' : taken.has('document.productId') ? 'productId' : 'name'
  return { columns, defaults: { ...defaultValues }, key: taken.has('name') || key !== 'name' ? key : null }
}

/** Guesses the kind of a trait. Numbers with zeros in front are codes, such as postcodes. */
const guessKind = (values: string[]): Kind =>
  values.some(value => /^0\d/.test(value)) ? 'text' : guessNarrowKind(values)

const guessNarrowKind = (values: string[]): Kind =>
  kindTests.find(([, fits]) => areMostly(values, fits))?.[0] ?? 'text'

/** Whether at least 90 % of the values have the form. The others may be typing errors, which the import then reports. */
const areMostly = (values: string[], fits: Fits): boolean => values.filter(fits).length >= 0.9 * values.length

/** Removes case, accents, spaces and punctuation. */
const normalize = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
