import { type GraphQLResolveInfo, locatedError, responsePathAsArray } from 'graphql'
import {
  listCost,
  readCostPerCharacter,
  rowCost,
  statementCost,
  usualTraits,
  visitCost
} from '../../db/templates/costs.ts'
import { type FacetField, listFacets, listFieldFacets } from '../../db/templates/read/facets.ts'
import { readList } from '../../db/templates/read/list.ts'
import { findPage } from '../../db/templates/read/page.ts'
import { suggestSearch } from '../../db/templates/read/suggest.ts'
import { type FieldDemands, toSize } from '../demands.ts'
import { badInput } from '../errors.ts'
import { query } from '../execution/fields.ts'
import { isLongText, jsonPieces } from '../execution/json.ts'
import type { Reading } from '../execution/reading.ts'
import { compileItems, type SelectedFields } from '../execution/select.ts'
import { type ListArguments, readFirst, readNumber, readOrder, sizes } from '../relay.ts'
import { isSelected, selectedFields } from '../selection.ts'
import { readersOf } from './products.ts'

/** Maximum cost of a template in a complete list whose documents are parsed and have 12 KB on average. */
const maxCostPerListedTemplate = rowCost + 12_288 * readCostPerCharacter

const listDemands: FieldDemands = {
  work: ({ given: { limit, offset }, templates }) =>
    toSize(limit, { default: templates, max: templates }) * rowCost +
    toSize(offset, { default: 0, max: templates }) * visitCost,
  // Whoever asks for all templates gets them.
  allowed: ({ given: { where, limit }, templates }) =>
    where == null && limit == null ? templates * maxCostPerListedTemplate : 0,
  listsTemplates: true
}

/** Writes the list directly into the result, because it may be long. */
export const allProducts = query(listDemands, async (given: ListArguments, read, info) => {
  const request = { ...toListRequest(given), fields: selectedFields(info) }
  const fields = compileItems(info, readersOf(read))
  const plan = await read.plan(given.where)
  return writeList(read, info, fields, readList(read.db, plan, request, read))
})

const toListRequest = ({ orderBy, limit, offset }: ListArguments) => ({
  order: readOrder(orderBy),
  limit: readNumber('limit', limit),
  offset: readNumber('offset', offset)
})

/**
 * Writes the list that a field returns. The executor would hold all items as objects, so it gets an empty list instead.
 * Throws RESULT_TOO_LARGE, or what reading a field throws, with its location.
 */
async function writeList(
  read: Reading,
  info: GraphQLResolveInfo,
  fields: SelectedFields,
  batches: AsyncIterable<object[]> | Iterable<object[]>
): Promise<[]> {
  const json = read.result.writeField(info)
  let count = 0
  const readItem = (item: object) =>
    fields.map(({ name, select }): [string, unknown] => {
      try {
        return [name, select(item)]
      } catch (error) {
        throw locatedError(error, info.fieldNodes, [...responsePathAsArray(info.path), count, name])
      }
    })
  const writeItems = function* (items: object[]) {
    for (const item of items) {
      yield count === 0 ? '[' : ','
      // Not by assignment, because an alias may be `__proto__`.
      const value = Object.fromEntries(readItem(item))
      if (hasLongDocument(item)) yield* jsonPieces(value)
      else yield JSON.stringify(value)
      count++
    }
  }
  for await (const batch of batches) await json.addPieces(writeItems(batch))
  json.add(count > 0 ? ']' : '[]')
  return []
}

const hasLongDocument = (item: object): boolean => 'data' in item && isLongText(item.data)

/** Names of traits in one query. */
const maxTypes = 100

const traitDemands: FieldDemands = {
  work: ({ given: { types }, templates }) =>
    ((types as unknown[] | null)?.length ?? usualTraits) * templates * listCost,
  listsTemplates: true,
  needsIndex: true
}

/** Writes the list directly into the result, like `allProducts`: a store may have thousands of traits. */
export const traits = query(
  traitDemands,
  async (given: ListArguments & { types?: string[] | null }, read, info) => {
    const { where, types, first } = given
    if (types && types.length > maxTypes) throw badInput(`types has more than ${maxTypes} names`)
    const request = {
      types: types ?? undefined,
      first: readFirst(first, sizes.values),
      numbers: isSelected(info, 'numbers')
    }
    const fields = compileItems(info)
    const found = await listFacets(read.db, await read.plan(where), request, read)
    return writeList(read, info, fields, [found])
  }
)

const facetDemands: FieldDemands = {
  work: ({ given: { fields }, templates }) =>
    (fields as unknown[]).length * templates * (visitCost + listCost),
  listsTemplates: true
}

export const facets = query(facetDemands, async (given: ListArguments & { fields: FacetField[] }, read) => {
  const { where, fields, first } = given
  const request = { fields, first: readFirst(first, sizes.values) }
  return listFieldFacets(read.db, await read.plan(where), request, read)
})

/** Characters of a search. */
const maxSearchLength = 1000

const anyOne = { order: readOrder(undefined), range: {}, fields: new Set<never>() }

const suggestionDemands: FieldDemands = {
  fixed: 2 * statementCost,
  listsTemplates: true,
  needsIndex: true
}

export const searchSuggestion = query(suggestionDemands, async ({ search }: { search: string }, read) => {
  if (search.length > maxSearchLength) throw badInput(`search has more than ${maxSearchLength} characters`)
  // Whether the caller sees a template with a word that begins like this.
  const isSeen = async (word: string) => {
    const { matches } = await findPage(read.db, await read.plan({ search: word }), anyOne, 1, read)
    return matches.length > 0
  }
  return suggestSearch(read.db, search, read, read.rule && isSeen)
})
