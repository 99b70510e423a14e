import { editableFields, type TemplateValues } from '../../domain/columns.ts'
import { describeFailure } from '../api.ts'
import { describeProblem, restorePossible } from '../bulk/write.ts'
import { draftOf, pickValues } from '../edit/draft.ts'
import { type Edit, type SavedEdit, type SaveManyResult, saveEachAlone, saveMany } from './save-many.ts'

/** Takes back saved changes, to the byte. What somebody else has changed since is merged. */
export async function revertMany(edits: SavedEdit[], message: string): Promise<SaveManyResult> {
  if (edits.length === 1) return saveMany(edits.map(revert), message)
  const outcome: SaveManyResult = { saved: [], refused: [] }
  // Restores the revisions before the changes: the service then knows which bulk change this undoes.
  const input = edits.map(({ id, draft, revision }) => ({
    id,
    revision: draft.base?.revision ?? revision - 1,
    expectedRevision: revision
  }))
  const { written, errors } = await restorePossible(input, { message, bulkChange: crypto.randomUUID() })
  const revisions = new Map(written.map(({ id, revision }) => [id, revision]))
  for (const edit of edits) {
    const revision = revisions.get(edit.id)
    if (revision !== undefined) outcome.saved.push({ ...revert(edit), revision })
  }
  const general = errors.find(({ id }) => id === null)
  if (general) return { ...outcome, problem: describeProblem(general) }
  const refused = new Set(errors.map(({ id }) => id))
  const alone = edits.filter(({ id }) => refused.has(id)).map(revert)
  await saveEachAlone(alone, message, outcome).catch(error => {
    outcome.problem = describeFailure(error)
  })
  return outcome
}

/** Returns the opposite change, to the byte. */
function revert({ id, name, draft, revision }: SavedEdit): Edit {
  const before = draft.base as TemplateValues
  return { id, name, draft: { ...draftOf({ ...draft, revision }), ...pickValues(before, editableFields) } }
}
