import { suggestSearch } from '../../db/templates/read/suggest.ts'
import type { Context } from '../execute.ts'
import { badInput } from '../input/bad-input.ts'

const maxLength = 1000

export function searchSuggestion(
  _root: unknown,
  { search }: { search: string },
  { operation, reading }: Context
): Promise<string | undefined> {
  return operation.evaluate(async () => {
    if (search.length > maxLength) throw badInput(`search has more than ${maxLength} characters`)
    return suggestSearch(reading.db, search, operation)
  })
}
