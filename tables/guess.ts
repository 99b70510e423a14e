import { integer } from './cell.ts'
import { readColumn } from './columns.ts'
import { anyNumber, isYesOrNo } from './convert.ts'
import { type Kind, type Mapping, type Target, usualDefaults } from './mapping.ts'

/** Maximum number of rows for guessing a mapping. */
export const rowsToGuess = 200

type Fits = (text: string) => boolean

/** Whether a text has the form of a link. */
export const isLink: Fits = text => /^(?:[a-z][a-z0-9+.-]*:|\{ipfs_url\}\/)\S*$/i.test(text)
const isWhole: Fits = text => integer.test(text)

/** The usual names of columns, in lower case letters and digits, and the form that most values must have. */
const targets: { target: Target; names: string; fits?: Fits }[] = [
  { target: { to: 'id', as: 'number' }, names: 'id templateid', fits: isWhole },
  {
    target: { to: 'name', as: 'text' },
    names:
      'name title productname producttitle product article item titel bezeichnung artikel produkt produktname nombre producto titulo nom titre produit nome'
  },
  {
    target: { to: 'document.productId', as: 'text' },
    names:
      'productid sku articlenumber articleno itemnumber itemno productnumber productno number no ref reference gtin ean upc barcode artikelnummer artikelnr artnr nummer referencia',
    fits: text => /^\d+$/.test(text)
  },
  {
    target: { to: 'document.description', as: 'text' },
    names: 'description text details about beschreibung descripcion descriptif descricao'
  },
  {
    target: { to: 'document.image', as: 'text' },
    names: 'image imageurl picture photo bild foto imagen image1 picture1 photo1 bild1 foto1',
    fits: isLink
  },
  {
    target: { to: 'document.external_url', as: 'text' },
    names: 'externalurl url link website producturl webseite web enlace lien',
    fits: isLink
  },
  {
    target: { to: 'maxItems', as: 'number' },
    names:
      'maxitems supply maxsupply edition quantity qty stock units menge anzahl auflage cantidad quantite quantidade',
    fits: text => isWhole(text) && Number(text) > 0
  },
  {
    target: { to: 'publicProduct', as: 'boolean' },
    names: 'publicproduct public published visible publico',
    fits: isYesOrNo
  },
  {
    target: { to: 'blockchainId', as: 'number' },
    names: 'blockchainid blockchain chainid chain',
    fits: isWhole
  },
  { target: { to: 'componentName', as: 'text' }, names: 'componentname component' },
  {
    target: { to: 'trait:MadeIn', as: 'text' },
    names: 'madein country origin countryoforigin land herkunft herkunftsland pais origen pays'
  },
  {
    target: { to: 'trait:ProductType', as: 'text' },
    names: 'producttype type category kind kategorie typ art categoria categorie tipo'
  },
  {
    target: { to: 'trait:FeaturesArray', as: 'list' },
    names: 'featuresarray features tags merkmale caracteristicas'
  },
  { target: { to: 'trait:UnitsProduced', as: 'number' }, names: 'unitsproduced produced', fits: isWhole },
  { target: { to: 'trait:EmailOptional', as: 'boolean' }, names: 'emailoptional', fits: isYesOrNo },
  ...[1, 2, 3, 4, 5, 6].map(number => ({
    target: { to: `trait:IPFSproductPhoto${number}`, as: 'text' } as const,
    names: `ipfsproductphoto${number} image${number} picture${number} photo${number} bild${number} foto${number}`
  }))
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
  const guess = (name: string, index: number): Target | null => {
    const values = rows.map(row => row[index]?.trim() ?? '').filter(value => value !== '')
    if (values.length === 0) return null
    const found = targets.find(
      ({ target, names, fits }) =>
        !taken.has(target.to) &&
        names.split(' ').includes(normalize(name)) &&
        (!fits || areMostly(values, fits))
    )
    if (isOfExport && readColumn(name)) {
      taken.add(name)
      return { to: name, as: 'value' }
    }
    const target = found?.target ?? {
      to: `trait:${existing.get(normalize(name)) ?? name}`,
      as: guessKind(values)
    }
    if (taken.has(target.to)) return null
    taken.add(target.to)
    return target
  }
  const columns = Object.fromEntries(names.map((name, index) => [name, guess(name, index)]))
  const key = taken.has('id') ? 'id' : taken.has('document.productId') ? 'productId' : 'name'
  return { columns, defaults: { ...usualDefaults }, key: taken.has('name') || key !== 'name' ? key : null }
}

const guessKind = (values: string[]): Kind =>
  kindTests.find(([, fits]) => areMostly(values, fits))?.[0] ?? 'text'

/** Whether at least 90 % of the values have the form. The others may be typing errors, which the import then reports. */
const areMostly = (values: string[], fits: Fits): boolean => values.filter(fits).length >= 0.9 * values.length

/** Removes case, accents, spaces and punctuation. */
const normalize = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
