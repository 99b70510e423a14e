import { setTimeout } from 'node:timers/promises'
import { t } from 'tap'
import type { Operation } from '../../graphql/execution/operation.ts'
import { resolveSlices } from '../../graphql/paging.ts'

t.test('the event loop does other work between the slices of a list', async t => {
  // As Operation.evaluate does it while the event loop has not been blocked for long.
  let last: Promise<unknown> = Promise.resolve()
  const evaluate = <T>(work: () => Promise<T>) => {
    const run = last.then(work)
    last = run
    return run
  }
  const operation = { evaluate } as unknown as Operation
  let turns = 0
  const other = () => {
    turns++
    next = setImmediate(other)
  }
  let next = setImmediate(other)
  t.teardown(() => clearImmediate(next))
  await setTimeout(1)
  const items = Array.from({ length: 50 }, (_, index) => index)
  const seen: number[] = []
  const list = resolveSlices(items)({}, { operation })
  t.same(
    await Promise.all(
      list.map(async item => {
        const value = await item
        seen.push(turns)
        return value
      })
    ),
    items
  )
  t.ok(new Set(seen).size >= 5, 'each slice has a turn of its own')
})
