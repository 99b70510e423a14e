/** The limits on documents, which Mercurius checks by hooks (mercurius.ts). */
import {
  type DocumentNode,
  type FloatValueNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type IntValueNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValidationRule
} from 'graphql'
import type { ServiceSettings } from '../../options/index.ts'

/** The size of an operation. A fragment counts each time it is spread. */
interface OperationSize {
  /** Levels of fields. */
  depth: number
  fields: number
  aliases: number
  directives: number
}

type Node = OperationDefinitionNode | FragmentDefinitionNode | SelectionNode

/** Characters of an alias. In the response, each item of a list repeats it. */
const maxAliasLength = 256

/** Throws GraphQLError if an operation is too large. It limits the cost of validation, so it runs before. */
export function checkOperationSize(document: DocumentNode, settings: ServiceSettings): void {
  const { graphqlMaxDepth, graphqlMaxAliases, graphqlMaxDirectives } = settings
  const measure = createMeasure(document)
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue
    const { depth, aliases, directives } = measure(node)
    const excess =
      (depth > graphqlMaxDepth && `is deeper than ${graphqlMaxDepth} levels`) ||
      (aliases > graphqlMaxAliases && `has more than ${graphqlMaxAliases} aliases`) ||
      (directives > graphqlMaxDirectives && `has more than ${graphqlMaxDirectives} directives`)
    if (excess) throw new GraphQLError(`the operation ${excess}`, { nodes: node })
  }
}

/** Returns the number of fields of an operation of a document. */
export const countFields = (document: DocumentNode, operation: OperationDefinitionNode): number =>
  createMeasure(document)(operation).fields

/** Refuses a literal such as 1e999, which graphql-js reads as infinity. In variables, graphql-js refuses it. */
export const FiniteNumbers: ValidationRule = context => {
  const check = (node: FloatValueNode | IntValueNode) => {
    if (!Number.isFinite(Number(node.value)))
      context.reportError(new GraphQLError('the number is too large', { nodes: node }))
  }
  return { FloatValue: check, IntValue: check }
}

/** Names under which a document may select a field of introspection. Some clients look up three or four types. */
const maxIntrospections: Record<string, number> = { __schema: 1, __type: 4 }

/** Refuses introspection that is repeated under other names, because graphql-js executes it without a pause. */
export const LimitedIntrospection: ValidationRule = context => {
  const selected = new Map(Object.keys(maxIntrospections).map(name => [name, new Set<string>()]))
  return {
    Field(node) {
      const name = node.name.value
      if (node.alias && context.getParentType()?.name.startsWith('__'))
        context.reportError(new GraphQLError('introspection must not have aliases', { nodes: node }))
      const names = selected.get(name)?.add((node.alias ?? node.name).value)
      const max = maxIntrospections[name] as number
      if (names && names.size > max)
        context.reportError(
          new GraphQLError(`${name} is selected under too many names; the maximum is ${max}`, { nodes: node })
        )
    }
  }
}

const noSize: OperationSize = { depth: 0, fields: 0, aliases: 0, directives: 0 }

/** Measures each fragment once, because chains of fragments could otherwise take exponential time. */
function createMeasure({ definitions }: DocumentNode): (node: Node) => OperationSize {
  const fragments = new Map(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
  const measured = new Map<string, OperationSize>()
  const measureFragment = (name: string): OperationSize => {
    const earlier = measured.get(name)
    if (earlier) return earlier
    // Stops at a fragment that spreads itself; validation refuses it later.
    measured.set(name, noSize)
    const node = fragments.get(name)
    const size = node ? measureNode(node) : noSize
    measured.set(name, size)
    return size
  }
  const measureNode = (node: Node): OperationSize => {
    if ('alias' in node && (node.alias?.value.length ?? 0) > maxAliasLength)
      throw new GraphQLError(`an alias has more than ${maxAliasLength} characters`)
    const inner =
      node.kind === Kind.FRAGMENT_SPREAD
        ? [measureFragment(node.name.value)]
        : (node.selectionSet?.selections.map(measureNode) ?? [])
    const below = inner.reduce(combineSizes, noSize)
    const ownField = node.kind === Kind.FIELD ? 1 : 0
    return {
      depth: below.depth + ownField,
      fields: below.fields + ownField,
      aliases: below.aliases + ('alias' in node && node.alias ? 1 : 0),
      directives: below.directives + countDirectives(node)
    }
  }
  return measureNode
}

const combineSizes = (one: OperationSize, other: OperationSize): OperationSize => ({
  depth: Math.max(one.depth, other.depth),
  fields: one.fields + other.fields,
  aliases: one.aliases + other.aliases,
  directives: one.directives + other.directives
})

function countDirectives(node: Node): number {
  const variables = 'variableDefinitions' in node ? (node.variableDefinitions ?? []) : []
  return [node, ...variables].reduce((count, { directives }) => count + (directives?.length ?? 0), 0)
}
