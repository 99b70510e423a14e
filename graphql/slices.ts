import type { GraphQLResolveInfo } from 'graphql'
import type { Context } from './context.ts'
import type { Operation } from './operation.ts'
import { countFields } from './selection.ts'

/** Fields that the executor completes per turn: a few milliseconds. */
const fieldsPerTurn = 20_000

/** Makes a resolver of a list, of which the executor completes as much per turn as takes a few milliseconds. */
export const resolveSlices =
  <T>(items: T[]) =>
  (_arguments: unknown, { operation }: Context, info: GraphQLResolveInfo) =>
    inSlices(operation, items, Math.ceil(fieldsPerTurn / countFields(info)))

/** Makes the executor complete a list of expensive items in slices of `size`, one per turn of the event loop. */
export function inSlices<T>(operation: Operation, items: T[], size: number): (T | Promise<T>)[] {
  const list: (T | Promise<T>)[] = items.slice(0, size)
  for (let start = size; start < items.length; start += size) {
    const turn = operation.inTurn(() => {})
    list.push(...items.slice(start, start + size).map(item => turn.then(() => item)))
  }
  return list
}
