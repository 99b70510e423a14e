import { isStorable } from '../../domain/text.ts'
import type { FieldDemands } from '../admission/demands.ts'
import type { Scoped } from '../admission/scopes.ts'
import { baseCost } from '../admission/unit-costs.ts'
import { badInput } from '../errors.ts'
import { type CallerContext, mutationField, requireScope, uncacheableField } from '../fields.ts'
import { toUserErrorsOfFailure } from './user-errors.ts'
import { costOfWrite } from './writing.ts'

/** Makes the resolver of a query field that only administrators may read. The response must not be cached anywhere. */
export const adminQuery = <Args extends object, Result>(
  demands: Pick<FieldDemands, 'items' | 'writeBeforeSnapshot'>,
  resolve: (args: Args, context: CallerContext) => Promise<Result>
) =>
  Object.assign(
    uncacheableField({ ownCost: () => baseCost, ...demands }, async (_root, args: Args, context) => {
      context.isSecret = true
      requireScope(context, 'admin')
      checkTexts(args)
      return resolve(removeNulls(args), context)
    }),
    { scope: 'admin' } satisfies Scoped
  )

/** The arguments of a mutation that changes some properties, or disables or enables. */
export interface Update<Properties> {
  id: string
  input: Properties & { disabled?: boolean }
}

/**
 * Makes the resolver of a mutation that only administrators may run. It returns mistakes of the caller as user errors.
 */
export const adminMutation = <Args extends object, Payload extends object>(
  change: (args: Args, context: CallerContext) => Promise<Payload>
) =>
  mutationField({ scope: 'admin', cost: costOfWrite }, async (_root, args: Args, context) => {
    checkTexts(args)
    try {
      return { ...(await change(removeNulls(args), context)), userErrors: [] }
    } catch (error) {
      return { userErrors: toUserErrorsOfFailure(error, args) }
    }
  })

/** Throws BAD_USER_INPUT for a text that a database cannot store. */
function checkTexts(args: object): void {
  if (!hasStorableTexts(args)) throw badInput('the arguments must not contain U+0000 or lone surrogates')
}

/** Whether every text in a value can be stored. */
const hasStorableTexts = (value: unknown): boolean =>
  typeof value === 'string' ? isStorable(value) : Object.values(Object(value)).every(hasStorableTexts)

/**
 * Removes null, which counts as absent, from arguments and inputs. It stays in filters, where a trait may equal null.
 */
function removeNulls<Values extends object>(values: Values): Values {
  const present = Object.entries(values).filter(([, value]) => value !== null)
  return Object.fromEntries(
    present.map(([name, value]) => [name, name === 'input' ? removeNulls(value) : value])
  ) as Values
}

/** Replaces an empty filter, which all templates match, by null: the user or the webhook has no rule. */
export const emptyFilterToNull = <Input extends { where?: object | null }>({ where, ...others }: Input) => ({
  ...others,
  ...(where && { where: Object.keys(where).length === 0 ? null : where })
})
