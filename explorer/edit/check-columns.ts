import { columns, maxInt, type TemplateValues } from '../../db/templates/table/columns.ts'
import { formatCount } from '../format.ts'
import { type ColumnName, columnNames } from '../template/parts.ts'
import type { Problem } from './problem.ts'

/** Checks the fields besides the document by the rules that no setting of the service changes. */
export const checkColumns = (values: TemplateValues): Problem[] =>
  columnNames.flatMap(column => checkColumn(column, values[column]))

function checkColumn(column: ColumnName, value: unknown): Problem[] {
  const { least, longest, isOptional } = columns[column]
  const refuse = (code: string, message: string) => [{ code, message, path: [column], pointer: null }]
  if (least !== undefined && !(Number.isInteger(value) && Number(value) >= least && Number(value) <= maxInt))
    return refuse(
      'OUT_OF_RANGE',
      `must be a whole number from ${formatCount(least)} to ${formatCount(maxInt)}`
    )
  if (longest === undefined) return []
  const { length } = String(value ?? '')
  if (length === 0 && !isOptional) return refuse('TOO_SHORT', 'must not be empty')
  if (length <= longest) return []
  return refuse(
    'TOO_LARGE',
    `must have at most ${formatCount(longest)} characters; it has ${formatCount(length)}`
  )
}
