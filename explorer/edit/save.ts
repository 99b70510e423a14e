import { makeKey, write } from '../requests.ts'
import { checkColumns } from './check-columns.ts'
import { changedValues, type Draft } from './draft.ts'
import type { Problem } from './problem.ts'
import { readSchema } from './schema.ts'

export interface Saved {
  id: number | undefined
  revision: number | undefined
  problems: Problem[]
}

interface Answer {
  payload: {
    product: { id: number; revision: number } | null
    userErrors: Omit<Problem, 'isSentence'>[]
  } | null
}

const result = 'product { id revision } userErrors { code message path pointer }'
const creation = `mutation Create($input: CreateProductInput!, $message: String) {
  payload: createProduct(input: $input, message: $message) { ${result} } }`
const change = `mutation Update($id: Int!, $input: UpdateProductInput!, $revision: Int, $message: String) {
  payload: updateProduct(id: $id, input: $input, expectedRevision: $revision, message: $message) { ${result} } }`
const deletion = `mutation Delete($id: Int!, $revision: Int) {
  payload: deleteProduct(id: $id, expectedRevision: $revision) { ${result} } }`

/**
 * Creates or updates the template. An update fails with a conflict if the template has changed since the draft started.
 * Values that GraphQL cannot encode are refused before the request.
 */
export async function save(id: number | undefined, draft: Draft): Promise<Saved> {
  const problems = checkColumns(draft)
  if (problems.length > 0) return { id, revision: undefined, problems }
  const variables = {
    id,
    input: changedValues(draft),
    revision: draft.base?.revision,
    message: draft.message === '' ? undefined : draft.message
  }
  const answer =
    id !== undefined
      ? await write<Answer>(change, variables)
      : await write<Answer>(creation, variables, await makeKey(draft.key, variables))
  const saved = toSaved(answer)
  return { ...saved, problems: await inOwnWords(saved.problems, draft).catch(() => saved.problems) }
}

/** Replaces what the service says about a document by what the page says about the same place, if it finds it, too. */
async function inOwnWords(problems: Problem[], { data, componentName }: Draft): Promise<Problem[]> {
  if (!problems.some(({ code }) => code === 'SCHEMA')) return problems
  const [{ checkWith }, schema] = await Promise.all([import('./check-document.ts'), readSchema()])
  const own = checkWith(schema)(data, componentName)
  return problems.map(problem => {
    if (problem.code !== 'SCHEMA') return problem
    const same =
      own.find(({ pointer }) => pointer === problem.pointer) ??
      // The page reports an empty name at its trait.
      own.find(({ pointer }) => `${pointer}/trait_type` === problem.pointer)
    if (same) own.splice(own.indexOf(same), 1)
    return same ?? problem
  })
}

export const remove = async (id: number, revision: number): Promise<Saved> =>
  toSaved(await write<Answer>(deletion, { id, revision }))

const toSaved = ({ payload }: Answer): Saved => ({
  id: payload?.product?.id,
  revision: payload?.product?.revision,
  problems: payload?.userErrors.map(problem => ({ ...problem, isSentence: true })) ?? []
})

export const isConflict = ({ problems }: Saved): boolean => problems.some(({ code }) => code === 'CONFLICT')
