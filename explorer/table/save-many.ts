import { editableFields } from '../../domain/columns.ts'
import { describeFailure, refusalOf } from '../api.ts'
import { changedValues, type Draft, pickValues } from '../edit/draft.ts'
import { toSentence } from '../edit/problem.ts'
import { makeKey, write } from '../requests.ts'
import { saveMerged } from './save-cell.ts'

/** A change of a template: from the `base` of the draft to its values. */
export interface Edit {
  id: number
  name: string
  draft: Draft
}

/** A saved change, with the number of its revision. */
export interface SavedEdit extends Edit {
  revision: number
}

export interface SaveManyResult {
  saved: SavedEdit[]
  /** What was not saved, and why, as sentences. */
  refused: string[]
  /** Why saving ended early. */
  problem?: string
}

/** Templates and characters per request. */
const maxTemplates = 100
const maxCharacters = 400_000
/** After so many refusals, the rest is not tried any more. */
const maxRefused = 50

interface Answer {
  payload: { products: { revision: number }[]; userErrors: { path: string[] }[] } | null
}

const mutation = `mutation ChangeCells($input: [ImportProductInput!]!, $message: String, $bulkChange: ID) {
  payload: importProducts(input: $input, mode: REPLACE, message: $message, bulkChange: $bulkChange) {
    products { revision } userErrors { path } } }`

interface Options {
  message: string
  /** A UUID. All requests of an action are one bulk change. */
  bulkChange: string
}

/** Saves many changes in a few requests. What is refused does not keep the rest from being saved. */
export async function saveMany(edits: Edit[], message: string): Promise<SaveManyResult> {
  const outcome: SaveManyResult = { saved: [], refused: [] }
  const options: Options = { message, bulkChange: crypto.randomUUID() }
  try {
    const [only, ...others] = edits
    if (only && others.length === 0) await saveAlone(only, message, outcome)
    else for (const part of split(edits)) await savePart(part, options, outcome)
  } catch (error) {
    outcome.problem = describeFailure(error)
  }
  return outcome
}

function split(edits: Edit[]): Edit[][] {
  const parts: Edit[][] = []
  let characters = 0
  for (const edit of edits) {
    const { length } = JSON.stringify(edit.draft.data)
    const last = parts.at(-1)
    const isFull = !last || last.length === maxTemplates || characters + length > maxCharacters
    characters = isFull ? length : characters + length
    if (isFull) parts.push([edit])
    else last.push(edit)
  }
  return parts
}

/** Saves a part as a whole, and alone what the service refuses. */
async function savePart(part: Edit[], options: Options, outcome: SaveManyResult): Promise<void> {
  let rest = part
  const alone: Edit[] = []
  while (rest.length > 0) {
    const found = await send(rest, options)
    if (Array.isArray(found)) {
      outcome.saved.push(...rest.map((edit, index) => ({ ...edit, revision: found[index] as number })))
      break
    }
    alone.push(...rest.filter((_edit, index) => found.refused(index)))
    rest = rest.filter((_edit, index) => !found.refused(index))
  }
  await saveEachAlone(alone, options.message, outcome)
}

/** Saves each change alone, until too many are refused. */
export async function saveEachAlone(edits: Edit[], message: string, outcome: SaveManyResult): Promise<void> {
  for (const edit of edits)
    if (outcome.refused.length < maxRefused) await saveAlone(edit, message, outcome)
    else outcome.refused.push(describeRefusal(edit, 'not tried, because so many were refused'))
}

/** Returns the revisions written, or which of the changes are refused. */
async function send(
  edits: Edit[],
  { message, bulkChange }: Options
): Promise<number[] | { refused: (index: number) => boolean }> {
  const input = edits.map(({ id, draft }) => ({
    id,
    ...pickValues(draft, editableFields),
    expectedRevision: draft.base?.revision
  }))
  const variables = { input, message: message || undefined, bulkChange }
  try {
    const key = await makeKey(edits.map(({ draft }) => draft.key).join(' '), variables)
    const { payload } = await write<Answer>(mutation, variables, key)
    const errors = payload?.userErrors ?? []
    if (payload && errors.length === 0) return payload.products.map(({ revision }) => revision)
    const refused = new Set(errors.map(({ path: [, index] }) => index))
    // A problem of the whole request.
    const isGeneral = !edits.some((_edit, index) => refused.has(String(index)))
    return { refused: index => isGeneral || refused.has(String(index)) }
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    return { refused: () => true }
  }
}

/** Saves one change. Unlike a request of many, it checks only what changes, and merges what others have changed. */
async function saveAlone({ id, name, draft }: Edit, message: string, outcome: SaveManyResult): Promise<void> {
  const edit = { id, name, draft: { ...draft, message } }
  const refuse = (why: string) => outcome.refused.push(describeRefusal(edit, why))
  try {
    const saved = await saveMerged(id, edit.draft)
    if (saved === 'conflict') refuse('somebody else has changed the same since')
    else if (saved.revision === undefined || saved.problems.length > 0)
      refuse(saved.problems.map(toSentence).join('; '))
    else if (Object.keys(changedValues(saved.draft)).length > 0)
      outcome.saved.push({ ...edit, draft: saved.draft, revision: saved.revision })
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    refuse(refusal)
  }
}

export const describeRefusal = ({ id, name }: { id: number; name: string }, why: string): string =>
  `${name || `Template ${id}`}: ${why}`
