/** Which revisions and changes a rule permits. A revision counts by its own contents, a deletion by those before it. */
import { sql } from 'kysely'
import type { Db } from '../../schema.ts'
import { rowCost, statementCost } from '../costs.ts'
import { listTraits, type TemplateFilter } from '../filter/fields.ts'
import { typeKeys } from '../filter/keys.ts'
import type { Meter } from '../meter.ts'
import type { Change } from '../revisions/changes.ts'
import { findRevisions, type Revision, readDocument } from '../revisions/revisions.ts'
import { costOfPermits, matchesFilter, type Permitted } from './rule.ts'

/** A revision of a template. */
interface Key {
  id: number
  revision: number
}

/** Revisions that one statement finds. */
const atOnce = 100

/** Returns the revisions that somebody with the rule sees. */
export async function seenRevisions(
  db: Db,
  rule: Permitted,
  revisions: Revision[],
  meter: Meter
): Promise<Revision[]> {
  const keyOf = ({ id, number, action }: Revision) => ({
    id,
    revision: action === 'DELETE' ? number - 1 : number
  })
  const seen = await findSeen(db, rule, revisions.map(keyOf), meter)
  return revisions.filter(revision => seen.has(toText(keyOf(revision))))
}

/**
 * Returns the changes that somebody with the rule sees. An update that brings a template under the rule counts as an insert,
 * and one that takes it away counts as a deletion.
 */
export async function seenChanges(
  db: Db,
  rule: Permitted,
  changes: Change[],
  meter: Meter
): Promise<Change[]> {
  const before = ({ id, revision }: Key): Key => ({ id, revision: revision - 1 })
  const seen = await findSeen(
    db,
    rule,
    changes.flatMap(change => [before(change), change]),
    meter
  )
  return changes.flatMap((change): Change[] => {
    const [was, is] = [seen.has(toText(before(change))), seen.has(toText(change))]
    if (is) return [was ? change : { ...change, action: 'INSERT' }]
    return was ? [{ ...change, action: 'DELETE', hash: null }] : []
  })
}

const toText = ({ id, revision }: Key): string => `${id} ${revision}`

/** Returns the texts of the revisions whose contents the rule permits. */
async function findSeen(db: Db, rule: Permitted, keys: Key[], meter: Meter): Promise<Set<string>> {
  const wanted = [...new Map(keys.map(key => [toText(key), key])).values()]
  const known = await findKnownNames(db, rule.filter)
  const seen = new Set<string>()
  for (let start = 0; start < wanted.length; start += atOnce) {
    const some = wanted.slice(start, start + atOnce)
    meter.spend(statementCost + some.length * rowCost)
    await meter.turn()
    for (const found of await findRevisions(db, some, rule.needsIndex)) {
      const data = found && (rule.needsIndex ? await readDocument(db, found, meter) : '')
      if (!found || data === undefined) continue
      const template = { ...found, data }
      meter.spend(costOfPermits(rule, template))
      await meter.turn()
      if (matchesFilter(rule.filter, template, known)) seen.add(toText(template))
    }
  }
  return seen
}

/**
 * Finds the names of traits in a filter that the store knows. A truncated name may stand for two stored names, and the first
 * counts only if the store knows it.
 */
async function findKnownNames(db: Db, filter: TemplateFilter): Promise<Set<string>> {
  const names = listTraits(filter).flatMap(({ type }) => typeKeys(type).slice(0, -1))
  if (names.length === 0) return new Set()
  const { rows } = await sql<{ type: string }>`
    select type from product_trait_type where type in (${sql.join(names)})`.execute(db)
  return new Set(rows.map(({ type }) => type))
}
