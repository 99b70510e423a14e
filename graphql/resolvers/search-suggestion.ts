import { findPage } from '../../db/templates/read/page.ts'
import { suggestSearch } from '../../db/templates/read/suggest.ts'
import { badInput } from '../errors.ts'
import type { Context } from '../execute.ts'
import { readOrder } from '../paging.ts'

const maxLength = 1000

const anyOne = { order: readOrder(undefined), range: {}, fields: new Set<never>() }

export function searchSuggestion(
  _root: unknown,
  { search }: { search: string },
  { operation, reading, caller }: Context
): Promise<string | undefined> {
  return operation.evaluate(async () => {
    if (search.length > maxLength) throw badInput(`search has more than ${maxLength} characters`)
    // Whether a template that the caller sees has a word that begins so.
    const isSeen = async (word: string) => {
      const { matches } = await findPage(
        reading.db,
        await reading.plan({ search: word }),
        anyOne,
        1,
        operation
      )
      return matches.length > 0
    }
    return suggestSearch(reading.db, search, operation, caller.rule && isSeen)
  })
}
