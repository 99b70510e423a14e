import { setImmediate } from 'node:timers/promises'
import type { GraphQLResolveInfo } from 'graphql'
import type { Operation } from './operation.ts'
import { countFields, selectedFields } from './selection.ts'

/** Fields of a list that the executor completes per turn, for all aliases together. */
const fieldsPerTurn = 2000
/** Items with documents that it completes per turn. */
const documentsPerTurn = 10

/** Makes a resolver of a list. Per turn, the executor completes only as many items as take a millisecond or two. */
export const resolveSlices =
  <T>(items: T[]) =>
  (_arguments: unknown, { operation }: { operation: Operation }, info: GraphQLResolveInfo) => {
    const hasDocuments = selectedFields(info).has('data')
    const size = hasDocuments ? documentsPerTurn : Math.ceil(fieldsPerTurn / countFields(info))
    return items.length <= size ? items : slice(operation, items, size)
  }

/** Lets the items of each slice wait for a turn of the event loop. */
function slice<T>(operation: Operation, items: T[], size: number): Promise<T>[] {
  const list: Promise<T>[] = []
  for (let start = 0; start < items.length; start += size) {
    const turn = operation.evaluate(setImmediate)
    list.push(...items.slice(start, start + size).map(item => turn.then(() => item)))
  }
  return list
}

/** Makes a Relay connection of items in memory. */
export const toConnection = <Node, More extends object>(
  edges: { cursor: string; node: Node }[],
  pages: More
) => ({
  edges: resolveSlices(edges),
  nodes: resolveSlices(edges.map(({ node }) => node)),
  // The position of a template that has been deleted since is still valid.
  pageInfo: { ...pages, startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor }
})
