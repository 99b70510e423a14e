/** Makes resolvers. Each resolver gets its operation as a {@link FieldContext} or {@link CallerContext}. */
import type { GraphQLResolveInfo } from 'graphql'
import { type Actor, findActorNames } from '../db/accounts/actors.ts'
import type { StoreStatistics } from '../db/templates/statistics.ts'
import { costOfFilter } from './admission/cost.ts'
import type { FieldDemands } from './admission/demands.ts'
import type { Scoped } from './admission/scopes.ts'
import { missingScope } from './errors.ts'
import type { Operation, OperationInput } from './operation/operation.ts'

/**
 * The part of an operation that a resolver gets: the templates, and the rights of the caller. A cached response depends
 * on these alone. A resolver reads templates by `reader.db`, reads accounts by `reader.primary`, and writes by
 * `writeDb`.
 */
export type FieldContext = Pick<
  Operation,
  'countRead' | 'isCacheable' | 'moveToWorkerThreadIf' | 'reader' | 'rule' | 'settings' | 'type'
>

/** A mutation, a subscription and a field of `uncacheableField` also get the caller and the database for writing. */
export type CallerContext = FieldContext &
  Pick<Operation, 'caller' | 'mayHaveWritten' | 'isSecret' | 'lifetime' | 'writeDb' | 'subscription'> & {
    readonly input: Pick<OperationInput, 'change' | 'issuer'>
  }

/** A resolver as graphql-js calls it, with the part of its operation that it may use. */
type Resolve<Root, Args, Result, Context> = (
  root: Root,
  args: Args,
  context: Context,
  info: GraphQLResolveInfo
) => Result

/**
 * Makes the resolver of a mutation. It does not begin after the operation has ended. It checks the scope, too, because
 * only the executor knows which fields run.
 */
export const mutationField = <Args extends object, Result>(
  {
    scope,
    cost,
    ...others
  }: Scoped & Pick<FieldDemands, 'isBulkWrite'> & { cost(args: Args, statistics: StoreStatistics): number },
  resolve: Resolve<unknown, Args, Promise<Result>, CallerContext>
) =>
  Object.assign(
    async (root: unknown, args: Args, operation: Operation, info: GraphQLResolveInfo): Promise<Result> => {
      operation.assertRunning()
      requireScope(operation, scope)
      try {
        const result = await resolve(root, args, operation, info)
        if (!(args as { dryRun?: boolean }).dryRun) operation.mayHaveWritten = true
        return result
      } finally {
        // This field may have written, so a timeout of the next field must not say that nothing was written.
        operation.lifetime.letTimeoutSayNothingWritten(false)
      }
    },
    {
      scope,
      demands: {
        ownCost: field =>
          cost(field.args as Args, field.statistics) + (field.args.where == null ? 0 : costOfFilter(field)),
        // The lists of a payload have an item for each item of `input`. Without it, they have only cheap fields.
        items: ({ args: { input } }) => (Array.isArray(input) ? input.length : 1),
        ...others
      } satisfies FieldDemands
    }
  )

/** Throws FORBIDDEN if the access token does not have the scope. */
export function requireScope({ caller }: CallerContext, scope: string): void {
  if (!caller.scopes.includes(scope)) throw missingScope(scope)
}

/**
 * Makes the resolver of a field whose response may be cached: it reads only templates, by the caller's rights.
 * {@link findNames} reads accounts, so it turns caching off. Reading throws after the operation has ended.
 */
export const cacheableField = <Root, Args extends object, Result>(
  demands: FieldDemands,
  resolve: Resolve<Root, Args, Result, FieldContext>
) => Object.assign(resolve, { demands })

/**
 * Makes the resolver of a field that depends on more than the templates and the caller's rights. No response with such
 * a field is cached.
 */
export const uncacheableField = <Root, Args extends object, Result>(
  demands: FieldDemands,
  resolve: Resolve<Root, Args, Result, CallerContext>
) =>
  Object.assign(
    (root: Root, args: Args, operation: Operation, info: GraphQLResolveInfo): Result => {
      operation.assertRunning()
      operation.isCacheable = false
      return resolve(root, args, operation, info)
    },
    { demands }
  )

/** Finds the names of people. The response is then not cached, because names may change without the templates. */
export function findNames(context: FieldContext, actors: Actor[]): ReturnType<typeof findActorNames> {
  context.isCacheable = false
  return findActorNames(context.reader.primary, actors)
}
