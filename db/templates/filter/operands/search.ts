/** Conditions that the search index answers: words, and `productId` of the document, which is stored as one term. */
import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import { ArgumentError } from '../../../../runtime/host-errors.ts'
import { engineOf } from '../../../dialects/engine.ts'
import type { Db } from '../../../schema.ts'
import { productIdTerm, searchTerms } from '../keys.ts'
import { type Condition, type Contents, isListOf, isText, makeOperand, type Operand } from './operand.ts'

const templateId = sql.ref<number>('product_template.id')

/** The number of conditions that a searched word counts as. It costs the engines more than a value. */
const conditionsPerWord = 10

/** Words, each of which must be the beginning of a term. */
export const search: Operand<string> = {
  input: 'String',
  check(input, path) {
    if (!isText(input)) throw new ArgumentError(`${path} must be a text`)
  },
  require(input, path) {
    if (searchTerms(String(input)).length === 0)
      throw new ArgumentError(`${path} must have a word, of letters or digits`)
  },
  read: String,
  count: text => conditionsPerWord * searchTerms(String(text)).length,
  plan(db, text) {
    const words = searchTerms(text)
    if (words.length === 0) return []
    const { search } = engineOf(db)
    return [
      {
        test: search.matches(templateId, words),
        lookUpsPerRow: words.length,
        ids: search.ids(words),
        // Prefixes are merged before the first id is listed.
        canStopEarly: false
      }
    ]
  },
  matches: ({ entry: { terms } }, text) =>
    searchTerms(text).every(word => terms.some(term => term.startsWith(word))),
  accessPath: 'templateIndex'
}

const hasTerm = ({ entry }: Contents, id: string): boolean => entry.terms.includes(productIdTerm(id))

export const productId = makeOperand<{ equals?: string; in?: string[] }>('StringFilter', {
  equals: { check: isText, plan: (db, id) => [hasProductId(db, [id])], matches: hasTerm },
  in: {
    check: isListOf(isText),
    plan: (db, ids) => [hasProductId(db, ids)],
    matches: (contents, ids) => ids.some(id => hasTerm(contents, id))
  }
})

const hasProductId = (db: Db, ids: string[]): Condition => ({
  test: expressionBuilder().or(ids.map(id => engineOf(db).search.matches(templateId, [productIdTerm(id)]))),
  lookUpsPerRow: ids.length,
  ids: findByProductId(db, ids),
  canStopEarly: true
})

/** Selects the ids of the templates with one of some product ids. */
export function findByProductId(db: Db, ids: string[]): RawBuilder<number> {
  const selections = ids.map(id => engineOf(db).search.ids([productIdTerm(id)]))
  return selections.length > 0 ? sql.join(selections, sql` union all `) : sql`select 0 where 1 = 0`
}
