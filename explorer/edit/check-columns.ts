import { columnNames } from '../template/parts.ts'
import { checkFields } from './check-fields.ts'
import { changedValues, type Draft } from './draft.ts'
import type { Problem } from './problem.ts'

/** Checks the columns that a draft changes. The service accepts the others, which may be older than their rules. */
export function checkColumns(draft: Draft): Problem[] {
  const changed = changedValues(draft)
  return checkFields(
    columnNames.filter(field => field in changed),
    changed
  )
}
