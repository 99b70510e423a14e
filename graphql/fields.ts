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
  Pick<
    Operation,
    'caller' | 'hasWritten' | 'input' | 'isSecret' | 'timeoutNote' | 'signal' | 'store' | 'subscription'
  >

type Work<Args, Result, Context> = (args: Args, context: Context, info: GraphQLResolveInfo) => Result

/** Makes the resolver of a root field. It does not begin after the operation has ended. */
const rootField =
  <Args extends object, Result>(
    work: Work<Args, Result, RequestContext>
  ): GraphQLFieldResolver<unknown, Operation, Args> =>
  (_root, args, operation, info) => {
    operation.assertRunning()
    return work(args, operation, info)
  }

/** Makes the resolver of a mutation. Its scope was checked before (scopes.ts), but only the executor knows which fields run. */
export const mutationField = <Args extends object, Result>(
  { scope, cost, writesMany }: Scoped & { cost(args: Args): number; writesMany?: true | undefined },
  work: Work<Args, Promise<Result>, RequestContext>
) =>
  Object.assign(
    rootField(async (args: Args, context, info) => {
      requireScope(context, scope)
      const result = await work(args, context, info)
      context.hasWritten = true
      return result
    }),
    {
      scope,
      demands: {
        work: field => cost(field.args as Args) + (field.args.where == null ? 0 : costOfFilter(field)),
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
export const cacheableField = <Args extends object, Result>(
  demands: FieldDemands,
  work: Work<Args, Result, FieldContext>
) => Object.assign(rootField(work), { demands })

/** Makes the resolver of a field of a query or a subscription that depends on more. No response with it is kept. */
export const uncacheableField = <Args extends object, Result>(
  demands: FieldDemands,
  work: Work<Args, Result, RequestContext>
) =>
  Object.assign(
    rootField((args: Args, context, info) => {
      context.isCacheable = false
      return work(args, context, info)
    }),
    { demands }
  )
