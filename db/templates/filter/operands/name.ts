/** Conditions on the name. Parts are compared without regard to case. */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../../dialects/engine.ts'
import type { Database, Db } from '../../../schema.ts'
import { foldName, lastNameKey, nameKey, toStorable } from '../keys.ts'
import { isOneOf } from './comparison.ts'
import { type Condition, isListOf, isText, makeOperand, scan, seek } from './operand.ts'

export interface NameFilter {
  equals?: string
  in?: string[]
  contains?: string
  startsWith?: string
}

const eb = expressionBuilder<Database, 'product_template'>()

export const name = makeOperand<NameFilter>('NameFilter', {
  equals: {
    check: isText,
    plan: (_db, text) => [seek(hasName([text]))],
    matches: ({ template }, text) => template.name === toStorable(text)
  },
  in: {
    check: isListOf(isText),
    plan: (_db, names) => [seek(hasName(names))],
    matches: ({ template }, names) => names.map(toStorable).includes(template.name)
  },
  contains: {
    check: isText,
    plan: (db, part) => [containing(db, foldName(part))],
    matches: ({ template }, part) => foldName(template.name).includes(foldName(part))
  },
  startsWith: {
    check: isText,
    // Every name starts with the empty string.
    plan: (_db, start) => (start === '' ? [] : [seek(startingWith(foldName(start)))]),
    matches: ({ template }, start) => foldName(template.name).startsWith(foldName(start))
  }
})

/** Tests whether a name is in a list. The index has 100 characters of the folded name. The whole name decides. */
export function hasName(names: string[]): Expression<SqlBool> {
  const keys = names.map(name => nameKey(foldName(name)))
  return eb.and([isOneOf(eb.ref('name_key'), keys), isOneOf(eb.ref('name'), names.map(toStorable))])
}

function startingWith(start: string): Expression<SqlBool> {
  const key = nameKey(start)
  const near = sql<SqlBool>`name_key >= ${key} and name_key <= ${lastNameKey(key)}`
  return eb.and(
    start === key ? [near] : [near, sql<SqlBool>`substr(name_folded, 1, ${[...start].length}) = ${start}`]
  )
}

/** Trigrams of names find a part, unless it is too short for them. */
function containing(db: Db, part: string): Condition {
  const { syntax, search } = engineOf(db)
  const test = syntax.isIn(part, eb.ref('name_folded'))
  const like = search.namedLike(part)
  if (!like) return scan(test)
  const ids = sql<number>`select id from product_template where ${test} and id in (${like})`
  return { ...seek(test), ids, canStopEarly: false }
}
