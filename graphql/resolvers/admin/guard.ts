import type { AuditActor } from '../../../db/audit/record.ts'
import { administrationCost } from '../../../db/templates/costs.ts'
import { isStorable } from '../../../db/text.ts'
import { AccountError, ArgumentError } from '../../../errors.ts'
import type { FieldDemands } from '../../demands.ts'
import { badInput, forbidden } from '../../errors.ts'
import { requestQuery, rootField } from '../../execution/fields.ts'
import type { Reading, RequestReading } from '../../execution/reading.ts'
import { writeCost } from '../writing.ts'

/** Makes the resolver of a query field that only administrators may read. Not even its client may keep the response. */
export const adminQuery = <Given extends object, Result>(
  items: FieldDemands['items'] & object,
  work: (given: Given, read: RequestReading) => Promise<Result>
) =>
  requestQuery({ fixed: administrationCost, items }, async (given: Given, read) => {
    read.isSecret = true
    checkCaller(given, read)
    return work(removeNulls(given), read)
  })

/** What a mutation of administration writes with, and who runs it. */
export interface Administration extends Pick<RequestReading, 'store' | 'settings' | 'links'> {
  actor: AuditActor
}

/** The arguments of a mutation that changes some properties, or disables or enables. */
export interface Update<Properties> {
  id: string
  input: Properties & { disabled?: boolean }
}

/** Makes the resolver of a mutation that only administrators may run. It returns mistakes of the caller as user errors. */
export const adminMutation = <Given extends object, Payload extends object>(
  change: (given: Given, administration: Administration) => Promise<Payload>
) =>
  rootField(async (given: Given, read) => {
    checkCaller(given, read)
    read.spend(writeCost(given) + administrationCost)
    const { store, settings, links } = read
    const { subject, clientId, name, address } = read.caller
    const actor = { subject, clientId, name, address }
    try {
      return { ...(await change(removeNulls(given), { actor, store, settings, links })), userErrors: [] }
    } catch (error) {
      return { userErrors: toUserErrors(error) }
    }
  })

/** Throws FORBIDDEN first, so that only administrators learn anything else. */
function checkCaller(given: object, { scopes }: Reading): void {
  if (!scopes.includes('admin'))
    throw forbidden('MISSING_SCOPE', 'the access token does not have the scope admin')
  if (!hasStorableTexts(given)) throw badInput('the arguments must not contain U+0000 or lone surrogates')
}

/** Whether every text in a value can be stored. */
const hasStorableTexts = (value: unknown): boolean =>
  typeof value === 'string' ? isStorable(value) : Object.values(Object(value)).every(hasStorableTexts)

/** Removes null, which counts as absent, from arguments and inputs. It stays in filters, where a trait may equal null. */
function removeNulls<Given extends object>(given: Given): Given {
  const present = Object.entries(given).filter(([, value]) => value !== null)
  return Object.fromEntries(
    present.map(([name, value]) => [name, name === 'input' ? removeNulls(value) : value])
  ) as Given
}

/** Converts a filter to a rule; the empty filter, which all templates match, to none. */
export const toOptionalRule = <Where extends object>(where: Where): Where | null =>
  Object.keys(where).length === 0 ? null : where

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
