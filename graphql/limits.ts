import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode
} from 'graphql'

/** What an operation may have, its fragments counted wherever they are spread. */
export interface OperationSize {
  /** Levels of fields. */
  depth: number
  aliases: number
  directives: number
}

type Node = OperationDefinitionNode | FragmentDefinitionNode | SelectionNode

/** Validation errors told at once; a document with more is not looked at any further. */
export const maxValidationErrors = 5
/** Parsed documents kept. Mercurius keeps their sources too, and as many again of invalid ones. */
export const keptDocuments = 64

/**
 * Throws GraphQLError for an operation that is larger than `limit`. Runs before validation, whose cost it
 * bounds; the document need not be valid.
 */
export function checkOperationSize(document: DocumentNode, limit: OperationSize): void {
  const size = measure(document)
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue
    const { depth, aliases, directives } = size(node)
    if (depth > limit.depth) throw tooLarge(`is deeper than ${limit.depth} levels`, node)
    if (aliases > limit.aliases) throw tooLarge(`has more than ${limit.aliases} aliases`, node)
    if (directives > limit.directives) throw tooLarge(`has more than ${limit.directives} directives`, node)
  }
}

const tooLarge = (what: string, nodes: OperationDefinitionNode) =>
  new GraphQLError(`the operation ${what}`, { nodes })

const nothing: OperationSize = { depth: 0, aliases: 0, directives: 0 }

/** Measures each fragment once: one that spreads another twice, and so on, would double with each step. */
function measure({ definitions }: DocumentNode): (node: Node) => OperationSize {
  const fragments = new Map(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
  const measured = new Map<string, OperationSize>()
  const fragment = (name: string): OperationSize => {
    const known = measured.get(name)
    if (known) return known
    // Where a fragment spreads itself, which validation refuses.
    measured.set(name, nothing)
    const node = fragments.get(name)
    const size = node ? of(node) : nothing
    measured.set(name, size)
    return size
  }
  const of = (node: Node): OperationSize => {
    const inner =
      node.kind === Kind.FRAGMENT_SPREAD
        ? [fragment(node.name.value)]
        : (node.selectionSet?.selections.map(of) ?? [])
    const inside = inner.reduce(together, nothing)
    return {
      depth: inside.depth + (node.kind === Kind.FIELD ? 1 : 0),
      aliases: inside.aliases + ('alias' in node && node.alias ? 1 : 0),
      directives: inside.directives + directives(node)
    }
  }
  return of
}

const together = (one: OperationSize, other: OperationSize): OperationSize => ({
  depth: Math.max(one.depth, other.depth),
  aliases: one.aliases + other.aliases,
  directives: one.directives + other.directives
})

function directives(node: Node): number {
  const variables = 'variableDefinitions' in node ? (node.variableDefinitions ?? []) : []
  return [node, ...variables].reduce((count, { directives: own }) => count + (own?.length ?? 0), 0)
}
