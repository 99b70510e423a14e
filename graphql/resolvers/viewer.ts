import { findActorNames } from '../../db/accounts/names.ts'
import { statementCost } from '../../db/templates/meter.ts'
import type { Context } from '../context.ts'

/** Resolves who sends the request, from its access token. */
export function viewer(_root: unknown, _arguments: unknown, { operation, reading, caller }: Context) {
  const { subject, clientId, scopes, role, rule, name } = caller
  operation.isCacheable = false
  operation.spend(2 * statementCost)
  return operation.evaluate(async () => {
    const [found] = await findActorNames(reading.db, [{ subject, clientId, name }])
    return { ...found, scopes: [...scopes], role, where: rule?.text }
  })
}
