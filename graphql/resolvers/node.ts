import type { GraphQLResolveInfo } from 'graphql'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { findActorNames } from '../../db/accounts/names.ts'
import { statementCost } from '../../db/templates/meter.ts'
import { maxInt } from '../../db/templates/table/columns.ts'
import { badInput } from '../errors.ts'
import type { Context } from '../execute.ts'
import { countFields } from '../execution/selection.ts'
import { fromNodeId } from '../node-id.ts'
import { readProduct } from './product.ts'
import { readRevision } from './revisions.ts'

/** Objects in one query. */
const maxNodes = 100

const integer = (minimum: number) => Type.Integer({ minimum, maximum: maxInt })
const text = Type.Refine(
  Type.String({ maxLength: 1000 }),
  value => value.isWellFormed() && !value.includes('\0')
)
const textOrNull = Type.Union([text, Type.Null()])

const templateKey = Compile(Type.Tuple([integer(0)]))
const revisionKey = Compile(Type.Tuple([integer(0), integer(1)]))
const authorKey = Compile(Type.Tuple([textOrNull, text, textOrNull]))

/** Resolves an object by its identifier. */
export const node = (
  _root: unknown,
  { nodeId }: { nodeId: string },
  context: Context,
  info: GraphQLResolveInfo
) => {
  context.operation.spend(statementCost)
  return context.operation.evaluate(() => readNode(nodeId, context, info))
}

/** Resolves several, one after another. */
export const nodes = (
  _root: unknown,
  { nodeIds }: { nodeIds: string[] },
  context: Context,
  info: GraphQLResolveInfo
) => {
  if (nodeIds.length > maxNodes) throw badInput(`nodeIds has more than ${maxNodes} identifiers`)
  context.operation.spend(nodeIds.length * statementCost)
  context.operation.spendOnItems(nodeIds.length, countFields(info))
  return nodeIds.map(nodeId => context.operation.evaluate(() => readNode(nodeId, context, info)))
}

async function readNode(nodeId: string, context: Context, info: GraphQLResolveInfo) {
  const [__typename, ...key] = fromNodeId(nodeId) ?? ['']
  if (!Object.hasOwn(readers, __typename)) return null
  const found = await readers[__typename as keyof typeof readers](key, context, info)
  return found ? { ...found, __typename } : null
}

const readers = {
  ProductTemplate: async (key: unknown, context: Context, info: GraphQLResolveInfo) =>
    templateKey.Check(key) ? readProduct(key[0], context, info) : null,
  ProductRevision: async (key: unknown, context: Context, info: GraphQLResolveInfo) =>
    revisionKey.Check(key) ? readRevision(key[0], key[1], context, info) : null,
  async RevisionAuthor(key: unknown, { operation, reading }: Context) {
    if (!authorKey.Check(key)) return null
    const [subject, clientId, name] = key
    operation.isCacheable = false
    operation.spend(statementCost)
    const [found] = await findActorNames(reading.db, [{ subject, clientId, name }])
    return found && { ...found, actor: { subject, clientId, name } }
  }
}
