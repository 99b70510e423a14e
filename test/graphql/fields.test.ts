import { setImmediate as takeTurn } from 'node:timers/promises'
import { buildSchema, type GraphQLObjectType, type GraphQLResolveInfo, graphql } from 'graphql'
import { t } from 'tap'
import { Execution } from '../../graphql/execution/execution.ts'
import { later, pauseInLists, query, requestQuery } from '../../graphql/execution/fields.ts'

const { signal } = new AbortController()
const input = { db: { isTransaction: true }, caller: { subject: 'ada' }, settings: { graphqlMaxCost: 1 } }
const newContext = () => ({ execution: new Execution({ input, signal, cost: { limit: 1 } } as never) })
const info = {} as GraphQLResolveInfo

/** Executes a query of a list. `complete` makes the value of an item. */
function executeList(items: unknown, complete: (item: unknown) => unknown) {
  const schema = buildSchema('type Item { value: String } type Query { items: [Item] }')
  pauseInLists(schema)
  const rootValue = { items }
  const Item = schema.getType('Item') as GraphQLObjectType
  Object.assign(Item.getFields().value as object, { resolve: complete })
  return graphql({ schema, source: '{ items { value } }', rootValue, contextValue: newContext() })
}

t.test('the event loop does other work between the items of any long list', async t => {
  let turns = 0
  const other = () => {
    turns++
    next = setImmediate(other)
  }
  let next = setImmediate(other)
  t.teardown(() => clearImmediate(next))
  await takeTurn()
  const items = Array.from({ length: 50 }, (_, index) => `${index}`)
  const seen: number[] = []
  const { data } = await executeList(items, item => {
    seen.push(turns)
    return item
  })
  t.same(data, { items: items.map(value => ({ value })) })
  t.ok(new Set(seen).size >= 5, 'each slice has a turn of its own')
})

t.test('fields are read one after another, each only if graphql-js comes to it', async t => {
  const context = newContext()
  const seen: string[] = []
  const note = (name: string) =>
    later(async () => {
      seen.push(`${name} begins`)
      await takeTurn()
      seen.push(`${name} ends`)
    })
  const [first, second] = [note('first'), note('second')]
  note('third')
  await Promise.all([first({} as never, context, info), second({} as never, context, info)])
  t.same(seen, ['first begins', 'first ends', 'second begins', 'second ends'])
})

t.test('each item of a list is completed before the next one is read', async t => {
  const seen: string[] = []
  const readItem = async (item: string) => {
    seen.push(`${item} is read`)
    if (item === 'second') throw new Error('it cannot be read')
    return item
  }
  const items = ['first', 'second', 'third'].map(item => later(() => readItem(item)))
  const { data, errors } = await executeList(items, item => {
    seen.push(`${item} is completed`)
    return item
  })
  t.same(data, { items: [{ value: 'first' }, null, { value: 'third' }] })
  t.equal(errors?.length, 1)
  t.same(seen, [
    'first is read',
    'first is completed',
    'second is read',
    'third is read',
    'third is completed'
  ])
})

t.test('what reads a field cannot wait for another field', async t => {
  const count = later(async () => 1)
  // @ts-expect-error it is a function: only what graphql-js calls is a number
  const counted: number = await count
  t.type(counted, 'function')
  // @ts-expect-error only graphql-js has the context
  t.throws(() => count({}, newContext().execution, info), TypeError)
})

t.test(
  'only the field of a request has who asks and the database itself, and its response is not kept',
  async t => {
    const [own, other] = [newContext(), newContext()]
    const viewer = requestQuery({}, async (_given, read) => read.caller.subject)
    t.equal(await viewer(undefined, {}, other, info), 'ada')
    t.equal(other.execution.isCacheable, false)
    // @ts-expect-error a response that is kept must not depend on who asks
    const wrong = query({}, async (_given, read) => read.caller)
    t.ok(wrong)
    const rights = query({}, async (_given, read) => [read.scopes, read.rule, read.settings, read.db])
    await rights(undefined, {}, own, info)
    t.equal(own.execution.isCacheable, true)
    await own.execution.findNames([])
    t.equal(own.execution.isCacheable, false, 'names of people change when the templates do not')
  }
)

t.test('a field that plans a filter must have `listsTemplates` in its demands', async t => {
  t.throws(() => newContext().execution.plan({}), /must have `listsTemplates`/)
})
