/** Which revisions and changes a rule permits. A revision counts by its own contents, a deletion by those before it. */
import type { Db } from '../../schema.ts'
import { type Meter, rowCost, statementCost } from '../meter.ts'
import type { Change } from '../revisions/changes.ts'
import {
  findRevision,
  findRevisions,
  type ListedRevision,
  type PinnedTemplate,
  type Revision
} from '../revisions/revisions.ts'
import { costPerReadCharacter } from '../table/product-templates.ts'
import { costOfPermits, permits, type TemplateRule } from './rule.ts'

/** A revision of a template. */
interface Key {
  id: number
  revision: number
}

type Costs = Pick<Meter, 'spend' | 'turn'>

/** Revisions that one statement finds. */
const atOnce = 100

/** Returns the revisions that somebody with the rule sees. */
export async function seenRevisions(
  db: Db,
  rule: TemplateRule,
  revisions: Revision[],
  costs: Costs
): Promise<Revision[]> {
  const keyOf = ({ id, number, action }: Revision) => ({
    id,
    revision: action === 'DELETE' ? number - 1 : number
  })
  const seen = await findSeen(db, rule, revisions.map(keyOf), costs)
  return revisions.filter(revision => seen.has(toText(keyOf(revision))))
}

/**
 * Returns the changes that somebody with the rule sees. An update that brings a template under the rule counts as an insert,
 * and one that takes it away counts as a deletion.
 */
export async function seenChanges(
  db: Db,
  rule: TemplateRule,
  changes: Change[],
  costs: Costs
): Promise<Change[]> {
  const before = ({ id, revision }: Key): Key => ({ id, revision: revision - 1 })
  const seen = await findSeen(
    db,
    rule,
    changes.flatMap(change => [before(change), change]),
    costs
  )
  return changes.flatMap((change): Change[] => {
    const [was, is] = [seen.has(toText(before(change))), seen.has(toText(change))]
    if (is) return [was ? change : { ...change, action: 'INSERT' }]
    return was ? [{ ...change, action: 'DELETE', hash: null }] : []
  })
}

const toText = ({ id, revision }: Key): string => `${id} ${revision}`

/** Returns the texts of the revisions whose contents the rule permits. */
async function findSeen(db: Db, rule: TemplateRule, keys: Key[], costs: Costs): Promise<Set<string>> {
  const wanted = [...new Map(keys.map(key => [toText(key), key])).values()]
  const seen = new Set<string>()
  for (let start = 0; start < wanted.length; start += atOnce) {
    const some = wanted.slice(start, start + atOnce)
    costs.spend(statementCost + some.length * rowCost)
    await costs.turn()
    for (const found of await findRevisions(db, some, rule.needsIndex)) {
      const template = found && (rule.needsIndex ? await readWhole(db, found, costs) : { ...found, data: '' })
      if (!template) continue
      costs.spend(costOfPermits(rule, template))
      await costs.turn()
      if (permits(rule, template)) seen.add(toText(template))
    }
  }
  return seen
}

/** Reads the document of a revision if it is long. */
async function readWhole(db: Db, found: ListedRevision, costs: Costs): Promise<PinnedTemplate | undefined> {
  const { id, revision, data } = found
  if (data !== null) return { ...found, data }
  costs.spend(statementCost)
  const whole = await findRevision(db, id, revision)
  costs.spend((whole?.data.length ?? 0) * costPerReadCharacter)
  return whole
}
