import { count } from '../words.ts'
import type { Problem } from './problem.ts'

const [minInt, maxInt] = [-2_147_483_648, 2_147_483_647]
/** Characters. */
const longest = { name: 500, componentName: 100 }

type Columns = Record<'name' | 'componentName', string> & Record<'blockchainId' | 'maxItems', number>

/** What the service would refuse besides the document, whatever its settings are. */
export const checkColumns = (draft: Columns): Problem[] => [
  ...checkName('name', draft.name),
  ...checkName('componentName', draft.componentName),
  ...checkInteger('blockchainId', draft.blockchainId, minInt),
  ...checkInteger('maxItems', draft.maxItems, 1)
]

const make = (code: string, column: string, message: string): Problem[] => [
  { code, message, path: [column], pointer: null }
]

function checkName(column: keyof typeof longest, text: string): Problem[] {
  if (text === '') return make('TOO_SHORT', column, 'must not be empty')
  if (text.length <= longest[column]) return []
  const message = `must have at most ${count(longest[column])} characters; it has ${count(text.length)}`
  return make('TOO_LARGE', column, message)
}

function checkInteger(column: string, value: number, least: number): Problem[] {
  if (Number.isInteger(value) && value >= least && value <= maxInt) return []
  return make('OUT_OF_RANGE', column, `must be a whole number from ${count(least)} to ${count(maxInt)}`)
}
