import type { Operation } from './operation.ts'

/** Makes the executor complete a list of expensive items in slices of `size`, one per turn of the event loop. */
export function inSlices<T>(operation: Operation, items: T[], size: number): (T | Promise<T>)[] {
  const list: (T | Promise<T>)[] = items.slice(0, size)
  for (let start = size; start < items.length; start += size) {
    const turn = operation.inTurn(() => {})
    list.push(...items.slice(start, start + size).map(item => turn.then(() => item)))
  }
  return list
}
