import type { GraphQLResolveInfo } from 'graphql'
import type { AuditActor } from '../../../db/audit/record.ts'
import { statementCost } from '../../../db/templates/meter.ts'
import { AccountError, ArgumentError } from '../../../errors.ts'
import { badInput, type Context, forbidden } from '../../context.ts'
import { writeCost } from '../writing.ts'

/** Cost of a query field of administration, beside that of its items. */
export const costOfReading = 8 * statementCost

/** Makes the resolver of a query field that only administrators may read. Its response is kept nowhere. */
export const adminQuery =
  <Given extends object, Result>(
    read: (given: Given, context: Context, info: GraphQLResolveInfo) => Promise<Result>
  ) =>
  (_root: unknown, given: Given, context: Context, info: GraphQLResolveInfo) => {
    const { operation } = context
    operation.isCacheable = false
    operation.isSecret = true
    check(given, context)
    operation.spend(costOfReading)
    return operation.evaluate(() => read(withoutNulls(given), context, info))
  }

/** What a mutation of administration needs. */
export interface Administration {
  actor: AuditActor
  context: Context
}

/** Makes the resolver of a mutation that only administrators may run. What the caller can correct are its user errors. */
export const adminMutation =
  <Given extends object, Payload extends object>(
    change: (given: Given, administration: Administration) => Promise<Payload>
  ) =>
  (_root: unknown, given: Given, context: Context) => {
    check(given, context)
    const { operation, caller } = context
    const { subject, clientId, name, address } = caller
    return operation.evaluate(async () => {
      operation.spend(writeCost(given) + costOfReading)
      try {
        const actor = { subject, clientId, name, address }
        return { ...(await change(withoutNulls(given), { actor, context })), userErrors: [] }
      } catch (error) {
        return { userErrors: toUserErrors(error) }
      }
    })
  }

/** Throws FORBIDDEN before anything else, so that nobody else learns anything. */
function check(given: object, { caller }: Context): void {
  if (!caller.scopes.has('admin')) throw forbidden('the access token does not have the scope admin')
  if (!isStorable(given)) throw badInput('the arguments must not contain U+0000 or lone surrogates')
}

/** Whether every engine can store and compare all texts of a value. */
const isStorable = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.isWellFormed() && !value.includes('\0')
    : Object.values(Object(value)).every(isStorable)

/** null counts as absent, in inputs too; but not in a filter, where a trait may equal null. */
function withoutNulls<Given extends object>(given: Given): Given {
  const present = Object.entries(given).filter(([, value]) => value !== null)
  return Object.fromEntries(
    present.map(([name, value]) => [name, name === 'input' ? withoutNulls(value) : value])
  ) as Given
}

/** Whether a filter means all templates. */
export const isEmpty = (where: object): boolean => Object.keys(where).length === 0

const problems = {
  PTS_ACCOUNT_EXISTS: { code: 'EXISTS', message: 'the e-mail address or the id is taken', path: ['input'] },
  PTS_ACCOUNT_MISSING: { code: 'NOT_FOUND', message: 'there is none with this id', path: ['id'] },
  PTS_LAST_ADMIN: {
    code: 'LAST_ADMIN',
    message: 'this is the last administrator: give somebody else the role admin first',
    path: ['id']
  }
}

function toUserErrors(error: unknown) {
  if (error instanceof AccountError) return [problems[error.code]]
  if (!(error instanceof ArgumentError)) throw error
  return error.problems.map(({ name, message }) => ({
    code: 'INVALID',
    message,
    path: name === undefined ? [] : ['input', name]
  }))
}
