/** Makes resolvers. Each gets its operation as a {@link FieldContext} or {@link RequestContext}. */
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import { costOfFilter } from './admission/cost.ts'
import type { FieldDemands } from './admission/demands.ts'
import type { Scoped } from './admission/scopes.ts'
import { forbidden } from './errors.ts'
import type { Operation } from './operation/operation.ts'

/**
 * The part of its operation that a resolver gets: the templates, and the rights of the caller. A kept response depends on
 * these alone.
 */
export type FieldContext = Pick<
  Operation,
  'countRead' | 'findNames' | 'isCacheable' | 'moveToWorkerThreadIf' | 'reader' | 'rule' | 'settings' | 'type'
>

/** The same for a mutation, a subscription and a field of `uncacheableField`, with the caller and the database itself. */
export type RequestContext = FieldContext &
  Pick<Operation, 'caller' | 'input' | 'isSecret' | 'ifLate' | 'signal' | 'store' | 'subscription'>

type Work<Given, Result, Context> = (given: Given, context: Context, info: GraphQLResolveInfo) => Result

/** Makes the resolver of a root field. It does not begin after the operation has ended. */
const rootField =
  <Given extends object, Result>(
    work: Work<Given, Result, RequestContext>
  ): GraphQLFieldResolver<unknown, Operation, Given> =>
  (_root, given, operation, info) => {
    operation.assertRunning()
    return work(given, operation, info)
  }

/** Makes the resolver of a mutation. Its scope was checked before (scopes.ts), but only the executor knows which fields run. */
export const mutationField = <Given extends object, Result>(
  { scope, cost, writesMany }: Scoped & { cost(given: Given): number; writesMany?: true | undefined },
  work: Work<Given, Promise<Result>, RequestContext>
) =>
  Object.assign(
    rootField(async (given: Given, context, info) => {
      requireScope(context, scope)
      return work(given, context, info)
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
export function requireScope({ caller }: RequestContext, scope: string): void {
  if (!caller.scopes.includes(scope))
    throw forbidden('MISSING_SCOPE', `the access token does not have the scope ${scope}`)
}

/**
 * Makes the resolver of a field of a query that depends on the templates and the rights of the caller alone, so that its
 * response may be kept.
 */
export const cacheableField = <Given extends object, Result>(
  demands: FieldDemands,
  work: Work<Given, Result, FieldContext>
) => Object.assign(rootField(work), { demands })

/** Makes the resolver of a field of a query or a subscription that depends on more. No response with it is kept. */
export const uncacheableField = <Given extends object, Result>(
  demands: FieldDemands,
  work: Work<Given, Result, RequestContext>
) =>
  Object.assign(
    rootField((given: Given, context, info) => {
      context.isCacheable = false
      return work(given, context, info)
    }),
    { demands }
  )
