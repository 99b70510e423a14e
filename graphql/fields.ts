/** Makes resolvers. Each gets its operation as a {@link Reading} or {@link RequestReading}. */
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import { costOfFilter } from './cost.ts'
import type { FieldDemands } from './demands.ts'
import { forbidden } from './errors.ts'
import type { Operation } from './operation.ts'
import type { Scoped } from './scopes.ts'

/**
 * The part of its operation that a resolver gets: the templates, and the rights of the caller. A kept response depends on
 * these alone.
 */
export type Reading = Pick<
  Operation,
  | 'countRead'
  | 'db'
  | 'findNames'
  | 'isCacheable'
  | 'moveIf'
  | 'plan'
  | 'readDocument'
  | 'rule'
  | 'sees'
  | 'settings'
  | 'type'
>

/** The same for a mutation, a subscription and a field of `requestQuery`, with the caller and the database itself. */
export type RequestReading = Reading &
  Pick<
    Operation,
    'caller' | 'input' | 'isSecret' | 'ifLate' | 'primary' | 'signal' | 'store' | 'subscription'
  >

type Work<Given, Result, Read> = (given: Given, read: Read, info: GraphQLResolveInfo) => Result

/** Makes the resolver of a root field. It does not begin after the operation has ended. */
const rootField =
  <Given extends object, Result>(
    work: Work<Given, Result, RequestReading>
  ): GraphQLFieldResolver<unknown, Operation, Given> =>
  (_root, given, operation, info) => {
    operation.assertRunning()
    return work(given, operation, info)
  }

/** Makes the resolver of a mutation. Its scope was checked before (scopes.ts), but only the executor knows which fields run. */
export const mutationField = <Given extends object, Result>(
  { scope, cost, writesMany }: Scoped & { cost(given: Given): number; writesMany?: true | undefined },
  work: Work<Given, Promise<Result>, RequestReading>
) =>
  Object.assign(
    rootField(async (given: Given, read, info) => {
      requireScope(read, scope)
      return work(given, read, info)
    }),
    {
      scope,
      demands: {
        work: field => cost(field.given as Given) + (field.given.where == null ? 0 : costOfFilter(field)),
        ...(writesMany && { writesMany })
      } satisfies FieldDemands
    }
  )

/** Throws FORBIDDEN if the access token does not have the scope. */
export function requireScope({ caller }: RequestReading, scope: string): void {
  if (!caller.scopes.includes(scope))
    throw forbidden('MISSING_SCOPE', `the access token does not have the scope ${scope}`)
}

/**
 * Makes the resolver of a field of a query that depends on the templates and the rights of the caller alone, so that its
 * response may be kept.
 */
export const query = <Given extends object, Result>(
  demands: FieldDemands,
  work: Work<Given, Result, Reading>
) => Object.assign(rootField(work), { demands })

/** Makes the resolver of a field of a query or a subscription that depends on more. No response with it is kept. */
export const requestQuery = <Given extends object, Result>(
  demands: FieldDemands,
  work: Work<Given, Result, RequestReading>
) =>
  Object.assign(
    rootField((given: Given, read, info) => {
      read.isCacheable = false
      return work(given, read, info)
    }),
    { demands }
  )
