import type { TemplateValues } from '../../db/templates/table/columns.ts'
import { write } from '../asking.ts'

/** The templates that a change is about: by their ids, or by a filter and the number that matched it. */
export type Target = { ids: number[] } | { where: object; expectedCount: number }

/** What changes in each template. */
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

/** What was written; or what is wrong, in sentences. */
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
const restoration = `mutation RestoreMany($input: [RestoreProductInput!]!, $message: String) {
  payload: restoreProducts(input: $input, message: $message) { ${result} } }`

export const changeMany = async (target: Target, change: BulkChange, message: string): Promise<Outcome> =>
  toOutcome(await write<Answer>(update, { ...target, change, message: message || undefined }))

export const deleteMany = async (target: Target): Promise<Outcome> =>
  toOutcome(await write<Answer>(deletion, target))

/** Gives each template what it had before, if nobody has changed one of them since. */
export const undo = async (written: Written[]): Promise<Outcome> => {
  const input = written.map(({ id, revision }) => ({
    id,
    revision: revision - 1,
    expectedRevision: revision
  }))
  return toOutcome(await write<Answer>(restoration, { input, message: 'undo' }))
}

/** Problems that are shown. */
const mostShown = 5

function toOutcome({ payload }: Answer): Outcome {
  const errors = payload?.userErrors ?? []
  const problems = errors
    .slice(0, mostShown)
    .map(({ id, message }) => (id === null ? `${message}.` : `Template ${id}: ${message}.`))
  if (errors.length > mostShown) problems.push(`And ${errors.length - mostShown} more.`)
  return { written: payload?.written ?? [], problems }
}
