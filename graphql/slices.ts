import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from './context.ts'
import type { Operation } from './operation.ts'
import { countFields } from './selection.ts'

/** Fields of a list that the executor completes per turn. It completes the lists of all aliases in the same turn. */
const fieldsPerTurn = 2000

/** Makes a resolver of a list. Per turn, the executor completes only as many items as take a millisecond or two. */
export const resolveSlices =
  <T>(items: T[]) =>
  (_arguments: unknown, { operation }: Context, info: GraphQLResolveInfo) =>
    inSlices(operation, items, Math.ceil(fieldsPerTurn / countFields(info)))

/** Makes the executor complete a list of expensive items in slices of `size`, one per turn of the event loop. */
export function inSlices<T>(operation: Operation, items: T[], size: number): (T | Promise<T>)[] {
  if (items.length <= size) return items
  const list: Promise<T>[] = []
  for (let start = 0; start < items.length; start += size) {
    const turn = operation.inTurn(() => {})
    list.push(...items.slice(start, start + size).map(item => turn.then(() => item)))
  }
  return list
}
