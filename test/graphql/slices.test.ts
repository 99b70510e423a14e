import { setTimeout } from 'node:timers/promises'
import type { GraphQLResolveInfo } from 'graphql'
import { t } from 'tap'
import { createContext, inSlices } from '../../graphql/execution/fields.ts'
import type { Reading } from '../../graphql/execution/reading.ts'

t.test('the event loop does other work between the slices of a list', async t => {
  const context = createContext({ signal: new AbortController().signal } as Reading)
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
  const list = await inSlices(items)({}, context, {} as GraphQLResolveInfo)
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
