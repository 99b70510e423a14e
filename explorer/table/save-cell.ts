import type { TemplateValues } from '../../db/templates/table/columns.ts'
import { type Draft, draftOf, keepDraft, recallDraft } from '../edit/draft.ts'
import { listDifferences, merge, setPart } from '../edit/merging.ts'
import { changeShared, isShared } from '../edit/on-chain.ts'
import type { Problem } from '../edit/problem.ts'
import { isConflict, save } from '../edit/save.ts'
import type { Part, Where } from '../template/parts.ts'
import { readTemplate } from '../template/read.ts'

/** What is to become of a part of a template, and the template at the revision that the user saw. */
export interface CellChange {
  id: number
  where: Where
  value: unknown
  base: TemplateValues & { revision: number }
}

/** What saving has done. With `conflict`, the draft waits for the user in the form. */
export type Outcome = { revision: number | undefined; problems: Problem[] } | 'conflict'

/**
 * Saves a part, as the form would: nothing else of the template changes. What somebody else has saved meanwhile stays,
 * unless it is the same part.
 */
export async function saveCell(change: CellChange): Promise<Outcome> {
  const { id, base } = change
  let draft = withChange(draftOf(base), change)
  for (;;) {
    const saved = await save(id, draft)
    if (!isConflict(saved)) return saved
    const merged = await mergeTheirs(id, draft)
    if (merged === undefined) return saved
    if (merged === 'conflict') {
      keepInForm(change)
      return 'conflict'
    }
    draft = merged
  }
}

/** Keeps what was typed where the form finds it; a draft that is there already gets it, too. */
export function keepInForm(change: CellChange): void {
  const { id, base } = change
  keepDraft({ id }, withChange(recallDraft({ id }) ?? draftOf(base), change))
}

function withChange(draft: Draft, { where, value }: CellChange): Draft {
  const isTrait = typeof where === 'object' && 'trait' in where
  // As in the form, the document gets the name and the component, too, if they were the same.
  if (typeof where === 'object' && 'column' in where && isShared(where.column))
    return { ...draft, ...changeShared(draft, where.column, String(value)) }
  const part: Part['value'] = isTrait ? { trait_type: where.trait, value } : value
  return { ...draft, ...setPart(draft, where, part) }
}

/** The draft on top of what somebody else has saved; undefined if the template is gone. */
async function mergeTheirs(id: number, draft: Draft): Promise<Draft | 'conflict' | undefined> {
  const theirs = await readTemplate(id)
  if (!theirs) return undefined
  const differences = listDifferences(draft.base ?? theirs, theirs, draft)
  if (differences.some(({ changedBy }) => changedBy === undefined)) return 'conflict'
  const mine = differences.filter(({ changedBy }) => changedBy === 'mine')
  return { ...draft, ...merge(draftOf(theirs), draft, mine), base: draftOf(theirs).base }
}
