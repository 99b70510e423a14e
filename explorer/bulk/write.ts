import type { TemplateValues } from '../../domain/columns.ts'
import { describeFailure } from '../api.ts'
import { write } from '../requests.ts'

/** The templates to change: ids, or a filter with the number of templates that it must match. */
export type Target = { ids: number[] } | { where: object; expectedCount: number }

/** The change of each template. */
export interface BulkChange extends Partial<Omit<TemplateValues, 'data'>> {
  setTraits: { traitType: string; value: unknown }[]
  removeTraits: string[]
}

export interface Written {
  id: number
  revision: number
}

interface ManyProblem {
  id: number | null
  code: string
  message: string
}

/** The revisions written, or the problems as sentences. */
export interface Outcome {
  written: Written[]
  problems: string[]
}

interface Answer {
  payload: { written: Written[]; userErrors: ManyProblem[] } | null
}

const parameters = '$ids: [Int!], $where: ProductTemplateFilter, $expectedCount: Int, $message: String'
const given = 'ids: $ids, where: $where, expectedCount: $expectedCount, message: $message'
const result = 'written { id: templateId revision } userErrors { id: templateId code message }'
const update = `mutation ChangeMany(${parameters}, $change: ProductChangeInput!) {
  payload: updateProducts(${given}, change: $change) { ${result} } }`
const deletion = `mutation DeleteMany(${parameters}) { payload: deleteProducts(${given}) { ${result} } }`
const restoration = `mutation RestoreMany($input: [RestoreProductInput!]!, $message: String, $bulkChange: ID) {
  payload: restoreProducts(input: $input, message: $message, bulkChange: $bulkChange) { ${result} } }`

export const changeMany = async (target: Target, change: BulkChange, message: string): Promise<Outcome> =>
  toOutcome(await write<Answer>(update, { ...target, change, message: message || undefined }))

export const deleteMany = async (target: Target): Promise<Outcome> =>
  toOutcome(await write<Answer>(deletion, target))

/** A template, the revision to restore, and the one that must be current. */
export interface Restoration extends Written {
  expectedRevision: number
}

/** Restores revisions: all or, if there is an error, none. */
export async function restoreMany(
  input: Restoration[],
  options: { message?: string; bulkChange?: string }
): Promise<{ written: Written[]; errors: ManyProblem[] }> {
  const { payload } = await write<Answer>(restoration, { input, ...options })
  return { written: payload?.written ?? [], errors: payload?.userErrors ?? [] }
}

/**
 * Restores what the service does not refuse. It writes all or none, so templates that it refuses are left out, and the
 * others sent again. If an error has no id, none is restored.
 */
export async function restorePossible(
  input: Restoration[],
  options: { message?: string; bulkChange?: string }
): Promise<{ written: Written[]; errors: ManyProblem[] }> {
  const refused: ManyProblem[] = []
  for (let left = input; left.length > 0; ) {
    const { written, errors } = await restoreMany(left, options).catch(error => {
      const message = describeFailure(error).replace(/\.$/, '')
      return { written: [], errors: [{ id: null, code: '', message }] }
    })
    refused.push(...errors)
    const ids = new Set(errors.map(({ id }) => id))
    if (errors.length === 0 || ids.has(null)) return { written, errors: refused }
    left = left.filter(({ id }) => !ids.has(id))
  }
  return { written: [], errors: refused }
}

/** Restores the previous revision of each template, unless one of the templates has changed since. */
export const undo = async (written: Written[]): Promise<Outcome> => {
  const input = written.map(({ id, revision }) => ({
    id,
    revision: revision - 1,
    expectedRevision: revision
  }))
  const { errors, ...others } = await restoreMany(input, { message: 'undo' })
  return { ...others, problems: toProblems(errors) }
}

/** The maximum number of problems that are shown. */
const maxProblems = 5

const toOutcome = ({ payload }: Answer): Outcome => ({
  written: payload?.written ?? [],
  problems: toProblems(payload?.userErrors ?? [])
})

/** Describes problems as sentences. */
export function toProblems(errors: ManyProblem[]): string[] {
  const problems = errors
    .slice(0, maxProblems)
    .map(({ id, message }) => (id === null ? `${message}.` : `Template ${id}: ${message}.`))
  if (errors.length > maxProblems) problems.push(`And ${errors.length - maxProblems} more.`)
  return problems
}
