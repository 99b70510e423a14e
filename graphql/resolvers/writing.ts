/** Mutations of templates share this: author, cost and input values. */
import { hash } from 'node:crypto'
import type { GraphQLResolveInfo } from 'graphql'
import type { StoreStatistics } from '../../db/templates/statistics.ts'
import type { WriteProblem } from '../../db/templates/writing/decisions.ts'
import type { IdempotentRequest } from '../../db/templates/writing/idempotency.ts'
import { type Author, findMessageProblem, NotAllowed } from '../../db/templates/writing/rights.ts'
import type { TemplateValues } from '../../domain/columns.ts'
import { makeProblem } from '../../domain/validation/problem.ts'
import type { ValidationOptions } from '../../domain/validation/validate.ts'
import { omitNullish } from '../../runtime/json-values.ts'
import { baseCost, textCostPerCharacter, writeCost } from '../admission/unit-costs.ts'
import { badInput, forbidden } from '../errors.ts'
import { type CallerContext, mutationField } from '../fields.ts'
import type { Caller } from '../operation/operation.ts'

/** Runs a mutation of templates. */
type RunWrite<Args, Payload> = (
  args: Args,
  options: { author: Author; validation: ValidationOptions; once: IdempotentRequest | undefined },
  context: CallerContext
) => Promise<Payload>

/** The arguments that several mutations of templates have. */
export interface MutationArguments {
  /** The message of the revisions. */
  message?: string | null
  /** The id of the bulk change that a bulk write is part of. */
  bulkChange?: string | null
}

/** Makes the resolver of a mutation of templates. */
export const templateMutation = <Args extends MutationArguments, Payload>(
  write: RunWrite<Args, Payload>,
  options: { isBulkWrite?: true } = {}
) =>
  mutationField(
    { scope: 'write', cost: costOfWrite, ...options },
    async (_root, args: Args, context, info) => {
      const { message = null, bulkChange } = args
      const problem = findMessageProblem(message ?? '')
      if (problem) throw badInput(problem)
      if (bulkChange != null && !isUuid(bulkChange)) throw badInput('bulkChange must be a UUID in lower case')
      const author = { ...context.caller, message, ...(bulkChange && { bulkChange }) }
      const once = toIdempotentRequest(args, context.caller, info)
      const { validation, maxDataSize } = context.settings
      try {
        return await write(args, { author, validation: { validation, maxDataSize }, once }, context)
      } catch (error) {
        throw error instanceof NotAllowed ? forbidden(error.reason, error.message) : error
      }
    }
  )

/** Makes the options of a bulk write: it stops if the operation ends before it is ready to commit. */
export function abortUntilCommit({ mayHaveWritten, lifetime }: CallerContext) {
  // An earlier field may have written something.
  lifetime.letTimeoutSayNothingWritten(!mayHaveWritten)
  return { signal: lifetime.signal, onReady: () => lifetime.letTimeoutSayNothingWritten(false) }
}

/** Makes the resolver of a bulk write. Its revisions are a bulk change, or part of one. */
export const bulkMutation = <Args extends MutationArguments, Payload>(write: RunWrite<Args, Payload>) =>
  templateMutation(write, { isBulkWrite: true })

const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)

/** Maximum number of templates that a mutation writes. */
export const maxWritten = 10_000

/**
 * Returns the cost of a write: the lists of its arguments name the templates. A filter may find all templates; with
 * `expectedCount`, nothing is written if it finds another number.
 */
export function costOfWrite(args: object, { templates }: StoreStatistics): number {
  const named = Object.values(args).reduce((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0)
  const { where, expectedCount } = args as { where?: unknown; expectedCount?: number | null }
  const matching =
    where == null ? 0 : Math.min(templates, maxWritten, Math.max(0, expectedCount ?? maxWritten))
  return baseCost + JSON.stringify(args).length * textCostPerCharacter + (named + matching) * writeCost
}

/** Makes the key of a mutation that the client may send again. Each field of a request has its own result. */
function toIdempotentRequest(
  args: object,
  { subject, clientId, idempotencyKey, rule }: Caller,
  { fieldName, path }: GraphQLResolveInfo
): IdempotentRequest | undefined {
  if (idempotencyKey === null) return undefined
  return {
    key: hash('sha256', JSON.stringify([clientId, subject, path.key, idempotencyKey])),
    // The result may have templates that another rule does not permit.
    request: hash('sha256', JSON.stringify([fieldName, args, ...(rule ? [rule.text] : [])]))
  }
}

/** A document in typed fields, as received. null counts as absent. */
interface DocumentInput {
  productId?: unknown
  description?: string | null
  externalUrl?: string | null
  image?: string | null
  name?: string | null
  component?: string | null
  attributes?: { traitType: string; value?: unknown }[] | null
}

type Nullable<T> = { [Name in keyof T]?: T[Name] | null }

/** Values of a template, as received. */
export type ValuesInput = Nullable<TemplateValues> & { document?: DocumentInput | null }

/** Converts the values of an input object. null counts as absent. A new template needs `data` or `document`. */
export function toValues(
  { document, ...input }: ValuesInput,
  purpose: 'new' | 'change' = 'new'
): { values: Partial<TemplateValues>; problems?: WriteProblem[] } {
  const values = omitNullish(input) as Partial<TemplateValues>
  if (document && values.data !== undefined)
    return {
      values,
      problems: [makeProblem('AMBIGUOUS', 'data and document cannot be combined', 'document')]
    }
  if (document) return { values: { ...values, data: toData(document) } }
  if (purpose === 'new' && values.data === undefined)
    return { values, problems: [makeProblem('REQUIRED', 'either data or document is required', 'data')] }
  return { values }
}

/** Writes `data` from typed fields. The keys have the names and the order of the contract. */
function toData({ attributes, externalUrl: external_url, ...input }: DocumentInput): string {
  const { productId, description, image, name, component } = input
  const traits = (attributes ?? []).map(({ traitType: trait_type, value }) =>
    omitNullish({ trait_type, value })
  )
  return JSON.stringify(
    omitNullish({ productId, description, external_url, image, name, component, attributes: traits })
  )
}
