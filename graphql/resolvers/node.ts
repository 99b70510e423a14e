import { between, integer, string, tuple } from 'decoders'
import type { GraphQLResolveInfo } from 'graphql'
import { maxInt } from '../../domain/columns.ts'
import { isStorable } from '../../domain/text.ts'
import { limited, nullable } from '../../runtime/validator.ts'
import type { FieldDemands } from '../admission/demands.ts'
import { readCost } from '../admission/unit-costs.ts'
import { badInput } from '../errors.ts'
import { cacheableField, type FieldContext, uncacheableField } from '../fields.ts'
import { fromNodeId } from '../relay.ts'
import { selectedFields } from '../selection.ts'
import { findVisibleTemplates, readProduct } from './product.ts'
import { readRevision } from './revisions.ts'

/** Maximum number of objects that one query may request. */
const maxNodes = 100

const text = limited(string, 1000).refine(isStorable, '')

const templateKey = tuple(between(0, maxInt, integer))
const revisionKey = tuple(between(0, maxInt, integer), between(1, maxInt, integer))
const authorKey = tuple(nullable(text), text, nullable(text))

/** Resolves an object by its identifier. */
export const node = cacheableField({}, ({ nodeId }: { nodeId: string }, context, info) =>
  readNode(nodeId, context, info)
)

const nodesDemands: FieldDemands = {
  items: ({ args: { nodeIds } }) => (nodeIds as unknown[]).length,
  work: ({ args: { nodeIds } }) => (nodeIds as unknown[]).length * readCost
}

/** Resolves several objects: the templates together, the others one after another. */
export const nodes = cacheableField(
  nodesDemands,
  async ({ nodeIds }: { nodeIds: string[] }, context, info) => {
    if (nodeIds.length > maxNodes) throw badInput(`nodeIds has more than ${maxNodes} identifiers`)
    const ids = nodeIds.map(toTemplateId)
    const distinct = new Set(ids.filter(id => id !== undefined))
    const templates = await findVisibleTemplates([...distinct], selectedFields(info), context)
    const found: (object | null)[] = []
    for (const [index, nodeId] of nodeIds.entries()) {
      const id = ids[index]
      const isTemplate = id !== undefined
      found.push(
        isTemplate ? toNode('ProductTemplate', templates.get(id)) : await readNode(nodeId, context, info)
      )
    }
    return found
  }
)

/** Returns the id of a template; undefined if the identifier is of another type, or wrong. */
function toTemplateId(nodeId: string): number | undefined {
  const [type, ...key] = fromNodeId(nodeId) ?? []
  return type === 'ProductTemplate' ? templateKey.value(key)?.[0] : undefined
}

async function readNode(nodeId: string, context: FieldContext, info: GraphQLResolveInfo) {
  const [type, ...key] = fromNodeId(nodeId) ?? ['']
  if (!Object.hasOwn(readers, type)) return null
  return toNode(type, await readers[type as keyof typeof readers](key, context, info))
}

const toNode = (__typename: string, found: object | null | undefined) =>
  found ? { ...found, __typename } : null

const readers = {
  async ProductTemplate(values: unknown, context: FieldContext, info: GraphQLResolveInfo) {
    const key = templateKey.value(values)
    return key ? readProduct(...key, context, info) : null
  },
  async ProductRevision(values: unknown, context: FieldContext, info: GraphQLResolveInfo) {
    const key = revisionKey.value(values)
    return key ? readRevision(...key, context, info) : null
  },
  async RevisionAuthor(values: unknown, context: FieldContext) {
    const key = authorKey.value(values)
    if (!key) return null
    const [subject, clientId, name] = key
    const [found] = await context.findNames([{ subject, clientId, name }])
    return found && { ...found, actor: { subject, clientId, name } }
  }
}

/** Resolves the sender of the request, from its access token. */
export const viewer = uncacheableField({}, async (_args, context) => {
  const { subject, clientId, scopes, role, rule, name } = context.caller
  const [found] = await context.findNames([{ subject, clientId, name }])
  return { ...found, scopes, role, where: rule?.text }
})
