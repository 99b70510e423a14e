import { onlyId, type PartialTemplate } from '../../db/templates/product-templates.ts'
import { type FacetField, listFacets, listFieldFacets } from '../../db/templates/read/facets.ts'
import { batchSize, readList } from '../../db/templates/read/list.ts'
import { defaultOrder } from '../../db/templates/read/order.ts'
import { findPage } from '../../db/templates/read/page.ts'
import { countNeighbours, suggestSearch } from '../../db/templates/read/suggest.ts'
import { hasMoreCharacters } from '../../runtime/characters.ts'
import { costOfFilter, costOfOrder, meanEntries } from '../admission/cost.ts'
import type { FieldDemands } from '../admission/demands.ts'
import {
  documentCostPerCharacter,
  entryCost,
  fieldCost,
  itemCost,
  lookUpCost,
  rowCost,
  valueCost
} from '../admission/unit-costs.ts'
import { badInput, resultTooLarge } from '../errors.ts'
import { cacheableField, type FieldContext } from '../fields.ts'
import { maxMainThreadCharacters, unparsedCharacterWeight } from '../operation/operation.ts'
import { type ListArguments, limitSize, listSizes, readFirst, readNumber, readOrder } from '../relay.ts'
import { findSelectedFields, isSelected } from '../selection.ts'
import { readsPageByOneStatement } from './products.ts'

/** Maximum cost of a template in a complete list: all fields, with documents of 12 KB on average that are parsed. */
const maxCostPerListedTemplate = itemCost + 40 * fieldCost + 12_288 * documentCostPerCharacter

const listDemands: FieldDemands = {
  ownCost: field => {
    const { args, statistics } = field
    const skipped = limitSize(args.offset, { default: 0, max: statistics.templates })
    return lookUpCost + skipped * rowCost + costOfFilter(field) + costOfOrder(field)
  },
  items: ({ args: { limit }, statistics: { templates } }) =>
    limitSize(limit, { default: templates, max: templates }),
  // A request for all templates is always allowed.
  minimumLimit: ({ args: { where, limit }, statistics: { templates } }) =>
    where == null && limit == null ? templates * maxCostPerListedTemplate : 0,
  readsByOneStatement: field =>
    // Without a limit, the list may need more than one batch.
    readsPageByOneStatement(field) && Number(field.args.limit ?? Number.POSITIVE_INFINITY) <= batchSize
}

/** Lists templates. Throws RESULT_TOO_LARGE before the list is complete if its documents alone are too large. */
export const allProducts = cacheableField(listDemands, async (_root, args: ListArguments, context, info) => {
  const plan = context.reader.plan(args.where)
  const search = {
    order: readOrder(args.orderBy),
    offset: readNumber('offset', args.offset),
    limit: readNumber('limit', args.limit),
    fields: findSelectedFields(info)
  }
  const max = context.settings.graphqlMaxResultSize
  const templates: PartialTemplate[] = []
  let characters = 0
  for await (const batch of readList(context.reader.db, plan, search)) {
    for (const template of batch) {
      characters += template.data?.length ?? 0
      templates.push(template)
    }
    context.moveToWorkerThreadIf(characters * unparsedCharacterWeight > maxMainThreadCharacters)
    if (characters > max && isSelected(info, 'data')) throw resultTooLarge(max)
  }
  return templates
})

/** Names of traits in one query. */
const maxTypes = 100

const traitDemands: FieldDemands = {
  ownCost: field => {
    const { args, statistics } = field
    const types = (args.types as unknown[] | null)?.length ?? 0
    return (
      lookUpCost +
      costOfFilter(field) +
      statistics.entries * entryCost +
      types * statistics.templates * rowCost
    )
  },
  // The number of different traits is unknown. Most templates have the same traits.
  items: ({ args: { types }, statistics }) => (types as unknown[] | null)?.length ?? meanEntries(statistics),
  itemsPerItem: ({ args: { first }, statistics }) =>
    Math.min(statistics.templates, limitSize(first, listSizes.values)),
  needsIndex: true
}

export const traits = cacheableField(
  traitDemands,
  async (_root, args: ListArguments & { types?: string[] | null }, context, info) => {
    const { where, types, first } = args
    if (types && types.length > maxTypes) throw badInput(`types has more than ${maxTypes} names`)
    const options = {
      types: types ?? undefined,
      first: readFirst(first, listSizes.values),
      numbers: isSelected(info, 'numbers')
    }
    return listFacets(context.reader.db, context.reader.plan(where), options)
  }
)

const facetDemands: FieldDemands = {
  ownCost: field =>
    lookUpCost +
    costOfFilter(field) +
    (field.args.fields as unknown[]).length * field.statistics.templates * 4 * rowCost
}

export const facets = cacheableField(
  facetDemands,
  async (_root, args: ListArguments & { fields: FacetField[] }, context) => {
    const { where, fields, first } = args
    const options = { fields, first: readFirst(first, listSizes.values) }
    return listFieldFacets(context.reader.db, context.reader.plan(where), options)
  }
)

/** Characters of a search. */
const maxSearchLength = 1000

const suggestionDemands: FieldDemands = {
  ownCost: ({ args }) =>
    lookUpCost + countNeighbours((args.search as string).slice(0, maxSearchLength)) * valueCost,
  needsIndex: true
}

export const searchSuggestion = cacheableField(
  suggestionDemands,
  async (_root, { search }: { search: string }, context) => {
    if (hasMoreCharacters(search, maxSearchLength))
      throw badInput(`search has more than ${maxSearchLength} characters`)
    return suggestSearch(context.reader.db, search, context.rule && (word => isVisible(word, context)))
  }
)

/** Whether the caller sees a template with a word that begins like this. */
async function isVisible(word: string, context: FieldContext): Promise<boolean> {
  const anyMatch = { order: defaultOrder, limit: 1, fields: onlyId }
  const matches = await findPage(context.reader.db, context.reader.plan({ search: word }), anyMatch)
  return matches.length > 0
}
