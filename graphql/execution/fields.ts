/** How the fields of an operation are resolved. Resolvers never see the context, so none can wait for another one. */
import { setImmediate } from 'node:timers/promises'
import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType
} from 'graphql'
import { countItems, type FieldDemands } from '../demands.ts'
import { forbidden } from '../errors.ts'
import type { Scoped } from '../scopes.ts'
import { costOfItem } from '../selection.ts'
import type { Execution } from './execution.ts'
import type { Reading, RequestReading } from './reading.ts'

/** The context of graphql-js. Resolvers get only the execution, as their {@link Reading}. */
export interface Context {
  execution: Execution
}

/** Reads a field, after all fields before it. */
type Work<Given, Result, Read = Reading> = (
  given: Given,
  read: Read,
  info: GraphQLResolveInfo
) => Promise<Result>

/** What graphql-js calls when it comes to a field. Nothing else has the context for it. */
export type Later<Result, Given = never> = (
  given: Given,
  context: Context,
  info: GraphQLResolveInfo
) => Result | Promise<Result>

/** Makes the value of a field, or an item of a list, that is read when its turn comes, and only if it is selected. */
export const later =
  <Given, Result>(work: Work<Given, Result>): Later<Result, Given> =>
  (given, { execution }, info) =>
    execution.evaluate(() => work(given, execution, info))

/** Makes the resolver of a field that has its value at once, or {@link later}. */
export const field =
  <Source, Given>(
    resolve: (source: Source, given: Given, read: Reading, info: GraphQLResolveInfo) => unknown
  ): GraphQLFieldResolver<Source, Context, Given> =>
  (source, given, context, info) =>
    complete(resolve(source, given, context.execution, info), given, context, info)

/** Makes the resolver of a field of a query, a mutation or a subscription. */
const rootField = <Given extends object, Result>(
  work: Work<Given, Result, RequestReading>
): GraphQLFieldResolver<unknown, Context, Given> => {
  const read = later(work as Work<Given, Result>)
  return async (_root, given, context, info) =>
    complete(await read(given, context, info), given, context, info)
}

/** Makes the resolver of a mutation. Its scope was checked before (scopes.ts), but only the executor knows which fields run. */
export const mutationField = <Given extends object, Result>(
  scope: Scoped['scope'],
  work: Work<Given, Result, RequestReading>
) =>
  Object.assign(
    rootField(async (given: Given, read, info) => {
      requireScope(read, scope)
      return work(given, read, info)
    }),
    { scope }
  )

/** Throws FORBIDDEN if the access token does not have the scope. */
export function requireScope({ scopes }: Reading, scope: string): void {
  if (!scopes.includes(scope))
    throw forbidden('MISSING_SCOPE', `the access token does not have the scope ${scope}`)
}

/**
 * Makes the resolver of a field of a query that depends on the templates and the rights of the caller alone, so that its
 * response may be kept.
 */
export const query = <Given extends object, Result>(demands: FieldDemands, work: Work<Given, Result>) =>
  withDemands(demands, work)

/** Makes the resolver of a field of a query or a subscription that depends on more. No response with it is kept. */
export const requestQuery = <Given extends object, Result>(
  demands: FieldDemands,
  work: Work<Given, Result, RequestReading>
) =>
  withDemands(demands, (given: Given, read, info) => {
    read.isCacheable = false
    return work(given, read, info)
  })

const withDemands = <Given extends object, Result>(
  demands: FieldDemands,
  work: Work<Given, Result, RequestReading>
) =>
  Object.assign(
    rootField(async (given: Given, read, info) => {
      read.spend(demands.fixed ?? 0)
      const returned = await work(given, read, info)
      return demands.items ? chargeItems(returned, read, info) : returned
    }),
    { demands }
  )

/** Charges the items that a field has returned. */
export function chargeItems<Result>(returned: Result, read: Reading, info: GraphQLResolveInfo): Result {
  read.spend(countItems(returned) * costOfItem(info))
  return returned
}

/** Calls a function, as graphql-js does with those that are properties of an object. */
const complete = <Given>(
  value: unknown,
  given: Given,
  context: Context,
  info: GraphQLResolveInfo
): unknown => (typeof value === 'function' ? (value as Later<unknown, Given>)(given, context, info) : value)

/** Items that the executor completes at once. With documents in all aliases, ten take a few milliseconds. */
const itemsAtOnce = 10

type Resolver = GraphQLFieldResolver<unknown, Context>

/**
 * Lets the event loop serve others while a list of a schema is completed. Items that are made by {@link later} are read one
 * after another: each is completed before the next one is read, so only what is selected of it stays in memory.
 */
export function pauseInLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    for (const field of Object.values(type.getFields()))
      if (isListType(getNullableType(field.type)) && !isLeafType(getNamedType(field.type)))
        field.resolve = pauseIn(field.resolve ?? defaultFieldResolver)
  }
}

/** Makes the resolver of a list. It has the demands of the given one. */
function pauseIn(resolve: Resolver): Resolver {
  const resolveList: Resolver = (source, given, context, info) =>
    pauseBetween(resolve(source, given, context, info), context, info)
  return Object.assign(resolveList, resolve)
}

/**
 * The executor completes all items of a list at once, unless they are promises, so each slice of them waits until the
 * execution evaluates it, and for a turn of the event loop: the pause after 10 ms would come after the slice that is too
 * much.
 */
async function pauseBetween(resolved: unknown, context: Context, info: GraphQLResolveInfo) {
  const items = await resolved
  if (!Array.isArray(items)) return items
  if (typeof items[0] === 'function') return items.map(item => complete(item, {}, context, info))
  if (items.length <= itemsAtOnce) return items
  let slice: Promise<unknown>
  return items.map((item, index) => {
    if (index % itemsAtOnce === 0) slice = context.execution.evaluate(setImmediate)
    return slice.then(() => item)
  })
}
