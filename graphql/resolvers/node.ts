import { between, integer, string, tuple } from 'decoders'
import type { GraphQLResolveInfo } from 'graphql'
import { statementCost } from '../../db/templates/costs.ts'
import { maxInt } from '../../db/templates/table/columns.ts'
import { isStorable } from '../../db/text.ts'
import { limited, nullable } from '../../validator.ts'
import { badInput, type Context } from '../context.ts'
import { costOfFound, type FieldDemands, withDemands } from '../demands.ts'
import { query } from '../execution/reading.ts'
import { fromNodeId } from '../node-id.ts'
import { costOfItems } from '../paging.ts'
import { readProduct } from './product.ts'
import { readRevision } from './revisions.ts'

/** Objects that one query may ask for. */
const maxNodes = 100

const text = limited(string, 1000).refine(isStorable, '')

const templateKey = tuple(between(0, maxInt, integer))
const revisionKey = tuple(between(0, maxInt, integer), between(1, maxInt, integer))
const authorKey = tuple(nullable(text), text, nullable(text))

/** Resolves an object by its identifier. */
export const node = query(
  { cost: costOfFound, isCacheable: true },
  ({ nodeId }: { nodeId: string }, context, info) => {
    context.operation.spend(statementCost)
    return readNode(nodeId, context, info)
  }
)

const nodesDemands: FieldDemands = {
  cost: selected => (selected.given.nodeIds as unknown[]).length * costOfFound(selected),
  isCacheable: true
}

/** Resolves several objects, one after another. */
export const nodes = withDemands(
  nodesDemands,
  (_root: unknown, { nodeIds }: { nodeIds: string[] }, context: Context, info: GraphQLResolveInfo) => {
    if (nodeIds.length > maxNodes) throw badInput(`nodeIds has more than ${maxNodes} identifiers`)
    context.operation.spend(nodeIds.length * statementCost)
    context.operation.spend(costOfItems(nodeIds.length, info))
    return nodeIds.map(nodeId => context.operation.evaluate(() => readNode(nodeId, context, info)))
  }
)

async function readNode(nodeId: string, context: Context, info: GraphQLResolveInfo) {
  const [__typename, ...key] = fromNodeId(nodeId) ?? ['']
  if (!Object.hasOwn(readers, __typename)) return null
  const found = await readers[__typename as keyof typeof readers](key, context, info)
  return found ? { ...found, __typename } : null
}

const readers = {
  async ProductTemplate(given: unknown, context: Context, info: GraphQLResolveInfo) {
    const key = templateKey.value(given)
    return key ? readProduct(...key, context, info) : null
  },
  async ProductRevision(given: unknown, context: Context, info: GraphQLResolveInfo) {
    const key = revisionKey.value(given)
    return key ? readRevision(...key, context, info) : null
  },
  async RevisionAuthor(given: unknown, { operation, reading }: Context) {
    const key = authorKey.value(given)
    if (!key) return null
    const [subject, clientId, name] = key
    operation.spend(statementCost)
    const [found] = await reading.findNames([{ subject, clientId, name }])
    return found && { ...found, actor: { subject, clientId, name } }
  }
}

const viewerDemands = { cost: () => 2 * statementCost, isCacheable: false }

/** Resolves who sends the request, from its access token. */
export const viewer = query(viewerDemands, async (_given, { operation, reading, caller }) => {
  operation.spend(2 * statementCost)
  const { subject, clientId, scopes, role, rule, name } = caller
  const [found] = await reading.findNames([{ subject, clientId, name }])
  return { ...found, scopes: [...scopes], role, where: rule?.text }
})
