/** Makes resolvers. Each resolver gets its operation as a {@link FieldContext} or {@link RequestContext}. */
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import { costOfFilter } from './admission/cost.ts'
import type { FieldDemands } from './admission/demands.ts'
import type { Scoped } from './admission/scopes.ts'
import { forbidden } from './errors.ts'
import type { OperationInput } from './operation/input.ts'
import type { Operation } from './operation/operation.ts'

/**
 * The part of an operation that a resolver gets: the templates, and the rights of the caller. A cached response depends
 * on these alone. A resolver reads templates by `reader.db`, reads accounts by `reader.primary`, and writes by
 * `writeDb`.
 */
export type FieldContext = Pick<
  Operation,
  'countRead' | 'findNames' | 'isCacheable' | 'moveToWorkerThreadIf' | 'reader' | 'rule' | 'settings' | 'type'
>

/** A mutation, a subscription and a field of `uncacheableField` also get the caller and the database for writing. */
export type RequestContext = FieldContext &
  Pick<
    Operation,
    'caller' | 'hasWritten' | 'isSecret' | 'timeoutNote' | 'signal' | 'writeDb' | 'subscription'
  > & {
    readonly input: Pick<OperationInput, 'change' | 'issuer'>
  }

type Resolve<Args, Result, Context> = (args: Args, context: Context, info: GraphQLResolveInfo) => Result

/** Makes the resolver of a root field. The resolver does not begin after the operation has ended. */
const rootField =
  <Args extends object, Result>(
    resolve: Resolve<Args, Result, RequestContext>
  ): GraphQLFieldResolver<unknown, Operation, Args> =>
  (_root, args, operation, info) => {
    operation.assertRunning()
    return resolve(args, operation, info)
  }

/** Makes the resolver of a mutation. It checks the scope, too, because only the executor knows which fields run. */
export const mutationField = <Args extends object, Result>(
  { scope, cost, writesMany }: Scoped & { cost(args: Args): number; writesMany?: true | undefined },
  resolve: Resolve<Args, Promise<Result>, RequestContext>
) =>
  Object.assign(
    rootField(async (args: Args, context, info) => {
      requireScope(context, scope)
      try {
        const result = await resolve(args, context, info)
        if (!(args as { dryRun?: boolean }).dryRun) context.hasWritten = true
        return result
      } finally {
        // The note is about this field, not about the next one.
        context.timeoutNote = undefined
      }
    }),
    {
      scope,
      demands: {
        ownCost: field => cost(field.args as Args) + (field.args.where == null ? 0 : costOfFilter(field)),
        ...(writesMany && { writesMany })
      } satisfies FieldDemands
    }
  )

/** Throws FORBIDDEN if the access token does not have the scope. */
export function requireScope({ caller }: RequestContext, scope: string): void {
  if (!caller.scopes.includes(scope))
    throw forbidden('MISSING_SCOPE', `the access token does not have the scope ${scope}`)
}

/** Makes the resolver of a field whose response may be cached: it reads only templates, by the caller's rights. */
export const cacheableField = <Args extends object, Result>(
  demands: FieldDemands,
  resolve: Resolve<Args, Result, FieldContext>
) => Object.assign(rootField(resolve), { demands })

/** Makes the resolver of a field that depends on more. No response with such a field is cached. */
export const uncacheableField = <Args extends object, Result>(
  demands: FieldDemands,
  resolve: Resolve<Args, Result, RequestContext>
) =>
  Object.assign(
    rootField((args: Args, context, info) => {
      context.isCacheable = false
      return resolve(args, context, info)
    }),
    { demands }
  )
