/** The rights that an author lacks for the results of a write. */
import { makeProblem } from '../../../domain/validation/problem.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import type { Db } from '../../schema.ts'
import { permits } from '../rule.ts'
import { type Decision, type Effect, refuse } from './decisions.ts'
import { type Author, listDeleted, NotAllowed } from './rights.ts'

/** Refuses the decisions for which the author lacks a right. Each gets a problem, so that the others can be written. */
export async function refuseForbidden(db: Db, author: Author, decisions: Decision[]): Promise<Decision[]> {
  const missing = await findMissingRights(db, author, decisions)
  return decisions.map((decision, index) => {
    const right = missing[index]
    return right ? refuse(makeProblem(right.reason, right.message)) : decision
  })
}

/**
 * Finds the right that the author lacks for each decision; undefined if there is none, or if nothing is written.
 * `before` is not tested again, because the rule permits every template that `lockTemplates` returns.
 */
export async function findMissingRights(
  db: Db,
  { mayPublish, rule }: Author,
  decisions: Decision[]
): Promise<(NotAllowed | undefined)[]> {
  const reused = mayPublish ? undefined : await findReusedIds(db, decisions)
  const missing: (NotAllowed | undefined)[] = []
  for (const decision of decisions) {
    if (rule) await yieldToEventLoop()
    if (decision.kind === 'keep' || decision.kind === 'refuse') missing.push(undefined)
    else if (decision.kind !== 'delete' && !permits(rule, decision.after))
      missing.push(new NotAllowed('OUTSIDE_RULE', 'the template would be outside the rule of your account'))
    else {
      const need = reused && findNeedToPublish(decision, reused)
      missing.push(
        need ? new NotAllowed('NO_RIGHT_TO_PUBLISH', `${need} requires the right to publish`) : undefined
      )
    }
  }
  return missing
}

function findNeedToPublish(effect: Effect, reused: Set<number>): string | undefined {
  if (effect.kind === 'delete') return 'deleting a template'
  const { kind, after } = effect
  if (kind === 'create' && reused.has(after.id)) return 'using the id of a deleted public template'
  const wasPublic = kind === 'change' && effect.before.publicProduct
  return wasPublic === after.publicProduct ? undefined : 'changing publicProduct'
}

/**
 * Finds the ids of new templates that deleted public ones had. A template with such an id decides whether the metadata
 * of the old revisions stays public.
 */
async function findReusedIds(db: Db, decisions: Decision[]): Promise<Set<number>> {
  const created = decisions.flatMap(each => (each.kind === 'create' ? each.after.id : []))
  const reused = new Set<number>()
  for await (const { id, contents } of listDeleted(db, created)) if (contents.publicProduct) reused.add(id)
  return reused
}
