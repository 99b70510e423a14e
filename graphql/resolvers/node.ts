import { between, integer, string, tuple } from 'decoders'
import type { GraphQLResolveInfo } from 'graphql'
import { findUserById } from '../../db/accounts/users.ts'
import { maxInt } from '../../domain/columns.ts'
import { isStorable } from '../../domain/text.ts'
import { limited, nullable } from '../../runtime/validator.ts'
import type { FieldDemands } from '../admission/demands.ts'
import { lookUpCost, valueCost } from '../admission/unit-costs.ts'
import { badInput } from '../errors.ts'
import { cacheableField, type FieldContext, findNames, uncacheableField } from '../fields.ts'
import { fromNodeId } from '../relay.ts'
import { findSelectedFields } from '../selection.ts'
import { findVisibleTemplates } from './product.ts'
import { readRevision } from './revisions.ts'

/** Maximum number of objects that one query may request. */
const maxNodes = 100

const text = limited(string, 1000).refine(isStorable, '')

const templateKey = tuple(between(0, maxInt, integer))
const revisionKey = tuple(between(0, maxInt, integer), between(1, maxInt, integer))
const authorKey = tuple(nullable(text), text, nullable(text))

/** Resolves an object by its identifier. */
export const node = cacheableField(
  {},
  async (_root, { nodeId }: { nodeId: string }, context, info) =>
    (await readNodes([nodeId], context, info))[0]
)

const nodesDemands: FieldDemands = {
  items: ({ args: { nodeIds } }) => (nodeIds as unknown[]).length,
  ownCost({ args, rule }) {
    const nodeIds = args.nodeIds as string[]
    // With a rule, each template counts as a read of its own.
    const readTogether = rule
      ? 0
      : nodeIds.filter(nodeId => toTemplateId(fromNodeId(nodeId)) !== undefined).length
    return lookUpCost + readTogether * valueCost + (nodeIds.length - readTogether) * lookUpCost
  }
}

/** Resolves several objects. */
export const nodes = cacheableField(
  nodesDemands,
  async (_root, { nodeIds }: { nodeIds: string[] }, context, info) => {
    if (nodeIds.length > maxNodes) throw badInput(`nodeIds has more than ${maxNodes} identifiers`)
    return readNodes(nodeIds, context, info)
  }
)

/** Reads objects in the order of their identifiers: the templates together, the others one after another. */
async function readNodes(nodeIds: string[], context: FieldContext, info: GraphQLResolveInfo) {
  const parsed = nodeIds.map(fromNodeId)
  const ids = parsed.map(toTemplateId)
  const distinct = new Set(ids.filter(id => id !== undefined))
  const templates = await findVisibleTemplates([...distinct], findSelectedFields(info), context)
  const objects: (object | null)[] = []
  for (const [index, nodeId] of parsed.entries()) {
    const [__typename = '', ...key] = nodeId ?? []
    const id = ids[index]
    const object = id === undefined ? await readOther(__typename, key, context, info) : templates.get(id)
    objects.push(object ? { ...object, __typename } : null)
  }
  return objects
}

/** Returns the id of a template; undefined if the identifier is of another type, or wrong. */
const toTemplateId = ([type, ...key]: unknown[] = []): number | undefined =>
  type === 'ProductTemplate' ? templateKey.value(key)?.[0] : undefined

const readOther = (type: string, key: unknown, context: FieldContext, info: GraphQLResolveInfo) =>
  Object.hasOwn(readers, type) ? readers[type as keyof typeof readers](key, context, info) : undefined

const readers = {
  async ProductRevision(values: unknown, context: FieldContext, info: GraphQLResolveInfo) {
    const key = revisionKey.value(values)
    return key ? readRevision(...key, context, info) : null
  },
  async RevisionAuthor(values: unknown, context: FieldContext) {
    const key = authorKey.value(values)
    // If the caller has a rule, only permitted revisions tell their authors: anybody can make up such an identifier.
    if (!key || context.rule) return null
    const [subject, clientId, name] = key
    const [names] = await findNames(context, [{ subject, clientId, name }])
    return names && { ...names, actor: { subject, clientId, name } }
  }
}

/** Resolves the sender of the request, from its access token. */
export const viewer = uncacheableField({}, async (_root, _args, context) => {
  const { subject, clientId, scopes, role, rule, name } = context.caller
  const [names] = await findNames(context, [{ subject, clientId, name }])
  const user = scopes.includes('profile') ? await findUserById(context.reader.primary, subject) : undefined
  return { ...names, email: user?.email, scopes, role, where: rule?.text }
})
