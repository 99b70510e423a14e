import { signal } from '@preact/signals'
import { revertMany } from './revert.ts'
import type { SavedEdit, SaveManyResult } from './save-many.ts'

/** What one action of the user has saved. */
interface Step {
  /** What was changed, such as `12 cells`. */
  label: string
  edits: SavedEdit[]
}

/** The maximum number of steps, and of characters in their documents. */
const maxSteps = 100
const maxCharacters = 20_000_000

/** The steps of this tab, whatever the filter shows. A reload forgets them. */
const steps = { undo: signal<Step[]>([]), redo: signal<Step[]>([]) }

export type Direction = keyof typeof steps

export const canGoBack = (direction: Direction): boolean => steps[direction].value.length > 0

/** Records what was saved, so that it can be undone. */
export function record(label: string, edits: SavedEdit[]): void {
  if (edits.length === 0) return
  add('undo', { label, edits })
  steps.redo.value = []
}

/**
 * Takes back the last step, or repeats it. The former values become new revisions. What somebody else has changed since
 * stays as it is. Undefined if there is no step.
 */
export async function revertOrRedo(
  direction: Direction
): Promise<(SaveManyResult & { label: string }) | undefined> {
  const step = steps[direction].value.at(-1)
  if (!step) return undefined
  const outcome = await revertMany(step.edits, direction)
  const { label } = step
  steps[direction].value = steps[direction].value.slice(0, -1)
  if (outcome.problem !== undefined) {
    // It can be tried again. What was written without an answer does not change any more.
    const done = new Set(outcome.saved.map(({ id }) => id))
    add(direction, { label, edits: step.edits.filter(({ id }) => !done.has(id)) })
  }
  if (outcome.saved.length > 0) add(direction === 'undo' ? 'redo' : 'undo', { label, edits: outcome.saved })
  return { ...outcome, label }
}

function add(direction: Direction, step: Step): void {
  const list = [...steps[direction].value, step].slice(-maxSteps)
  const size = ({ edits }: Step) =>
    edits.reduce((sum, { draft }) => sum + draft.data.length + (draft.base?.data.length ?? 0), 0)
  let characters = list.reduce((sum, each) => sum + size(each), 0)
  while (list.length > 1 && characters > maxCharacters) characters -= size(list.shift() as Step)
  steps[direction].value = list
}
