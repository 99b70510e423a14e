import type { TemplateValues } from '../../domain/columns.ts'
import { describeFailure } from '../api.ts'
import { limit } from '../format.ts'
import { write } from '../requests.ts'

/** The templates to change: ids, or a filter with the number of templates that it must match. */
export type Target = { ids: number[] } | { where: object; expectedCount: number }

/** The change of each template. */
export interface BulkChange extends Partial<Omit<TemplateValues, 'data'>> {
  setTraits: { traitType: string; value: unknown }[]
  removeTraits: string[]
}

export interface WrittenRevision {
  id: number
  revision: number
}

interface ManyProblem {
  id: number | null
  code: string
  message: string
}

/** The revisions written, or the problems as sentences. */
export interface BulkResult {
  written: WrittenRevision[]
  problems: string[]
}

interface Answer {
  payload: { written: WrittenRevision[]; userErrors: ManyProblem[] } | null
}

const parameters = '$ids: [Int!], $where: ProductTemplateFilter, $expectedCount: Int, $message: String'
const given = 'ids: $ids, where: $where, expectedCount: $expectedCount, message: $message'
const result = 'written { id: templateId revision } userErrors { id: templateId code message }'
const update = `mutation ChangeMany(${parameters}, $change: ProductChangeInput!) {
  payload: updateProducts(${given}, change: $change) { ${result} } }`
const deletion = `mutation DeleteMany(${parameters}) { payload: deleteProducts(${given}) { ${result} } }`
const restoration = `mutation RestoreMany($input: [RestoreProductInput!]!, $message: String, $bulkChange: ID) {
  payload: restoreProducts(input: $input, message: $message, bulkChange: $bulkChange) { ${result} } }`

export const changeMany = async (target: Target, change: BulkChange, message: string): Promise<BulkResult> =>
  toResult(await write<Answer>(update, { ...target, change, message: message || undefined }))

export const deleteMany = async (target: Target): Promise<BulkResult> =>
  toResult(await write<Answer>(deletion, target))

/** A template, the revision to restore, and the one that must be current. */
export interface Restoration extends WrittenRevision {
  expectedRevision: number
}

type Options = { message?: string; bulkChange?: string }
type Restored = { written: WrittenRevision[]; errors: ManyProblem[] }

/** Restores revisions: all or, if there is an error, none. */
async function restoreMany(input: Restoration[], options: Options): Promise<Restored> {
  const { payload } = await write<Answer>(restoration, { input, ...options })
  return { written: payload?.written ?? [], errors: payload?.userErrors ?? [] }
}

/** Templates per request. Each request is a transaction, in which other writers may have to wait. */
const batchSize = 500

/**
 * Restores what the service does not refuse, in batches. After an error without an id, the batches that follow are not
 * tried.
 */
export async function restorePossible(
  input: Restoration[],
  options: Options,
  onProgress: (done: number) => void = () => {}
): Promise<Restored & { notTried: number }> {
  const written: WrittenRevision[] = []
  const errors: ManyProblem[] = []
  for (let start = 0; start < input.length; start += batchSize) {
    onProgress(start)
    const batch = await restoreBatch(input.slice(start, start + batchSize), options)
    written.push(...batch.written)
    errors.push(...batch.errors)
    if (batch.errors.some(({ id }) => id === null))
      return { written, errors, notTried: Math.max(0, input.length - start - batchSize) }
  }
  return { written, errors, notTried: 0 }
}

/**
 * The service writes all or none, so templates that it refuses are left out, and the others sent again. If an error has
 * no id, none is restored.
 */
async function restoreBatch(input: Restoration[], options: Options): Promise<Restored> {
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
export const undo = async (written: WrittenRevision[]): Promise<BulkResult> => {
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

const toResult = ({ payload }: Answer): BulkResult => ({
  written: payload?.written ?? [],
  problems: toProblems(payload?.userErrors ?? [])
})

/** Describes problems as sentences. */
export const toProblems = (errors: ManyProblem[]): string[] => limit(errors.map(describeProblem), maxProblems)

export const describeProblem = ({ id, message }: ManyProblem): string =>
  id === null ? `${message}.` : `Template ${id}: ${message}.`
