import { editableFields, type TemplateValues } from '../../domain/columns.ts'
import { type Draft, draftOf, recallDraft } from '../edit/draft.ts'
import { keepDraft } from '../edit/kept-drafts.ts'
import { listDifferences, merge, setPart } from '../edit/merge.ts'
import type { Problem } from '../edit/problem.ts'
import { isConflict, save } from '../edit/save.ts'
import { changeSharedField, isSharedField } from '../edit/shared-fields.ts'
import type { Part, PartPath } from '../template/parts.ts'
import { readTemplate } from '../template/read.ts'

/** A change of one part of a template, and the revision that the user saw. */
interface PartChange {
  id: number
  where: PartPath
  /** Undefined removes a trait. */
  value: unknown
  base: TemplateValues & { revision: number }
}

/** The result of a save, with the draft as it was saved. After a `conflict`, nothing is saved. */
type SaveResult = { revision: number | undefined; problems: Problem[]; draft: Draft } | 'conflict'

/** Saves one part of a template. After a conflict, the draft is in the form. */
export async function saveCell(change: PartChange): Promise<SaveResult> {
  const outcome = await saveMerged(change.id, withChange(draftOf(change.base), change))
  if (outcome === 'conflict') moveToForm(change)
  return outcome
}

/** Saves a draft. Changes of somebody else to other parts are merged. */
export async function saveMerged(id: number, given: Draft): Promise<SaveResult> {
  let draft = given
  for (;;) {
    const saved = await save(id, draft)
    if (!isConflict(saved)) return { ...saved, draft }
    const merged = await mergeTheirs(id, draft)
    if (merged === undefined) return { ...saved, draft }
    if (merged === 'conflict') return 'conflict'
    draft = merged
  }
}

/** Moves the change into the draft of the form, or into an existing draft. */
export function moveToForm(change: PartChange): void {
  const { id, base } = change
  keepDraft({ id }, withChange(recallDraft({ id }) ?? draftOf(base), change))
}

export function withChange(draft: Draft, { where, value }: Pick<PartChange, 'where' | 'value'>): Draft {
  const isTrait = typeof where === 'object' && 'trait' in where
  // As in the form, a shared field also changes the document.
  if (typeof where === 'object' && 'column' in where && isSharedField(where.column))
    return { ...draft, ...changeSharedField(draft, where.column, String(value)) }
  const part: Part['value'] = isTrait && value !== undefined ? { trait_type: where.trait, value } : value
  return { ...draft, ...setPart(draft, where, part) }
}

/** Rebases the draft on the stored template; undefined if the template was deleted. */
async function mergeTheirs(id: number, draft: Draft): Promise<Draft | 'conflict' | undefined> {
  const theirs = await readTemplate(id)
  if (!theirs) return undefined
  const { base } = draftOf(theirs)
  // Only the number of the revision has changed, so the draft keeps its exact bytes.
  if (editableFields.every(field => theirs[field] === draft.base?.[field])) return { ...draft, base }
  const differences = listDifferences(draft.base ?? theirs, theirs, draft)
  if (differences.some(({ changedBy }) => changedBy === undefined)) return 'conflict'
  const mine = differences.filter(({ changedBy }) => changedBy === 'mine')
  return { ...draft, ...merge(draftOf(theirs), draft, mine), base }
}
