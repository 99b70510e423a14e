import type { Entry, Read, Revocation, Rotation, Use, Violation, Write } from './history.ts'

/** Finds what contradicts a promise of the service in the history of its clients. */
export function findViolations(history: readonly Entry[]): Violation[] {
  const of = <E extends Entry>(kind: E['kind']): E[] =>
    history.filter((entry): entry is E => entry.kind === kind)
  return [
    ...checkReads(of<Write>('write'), of<Read>('read')),
    ...checkUses(of<Revocation>('revocation'), of<Use>('use')),
    ...checkRotations(of<Rotation>('rotation'))
  ]
}

function checkReads(writes: Write[], reads: Read[]): Violation[] {
  const writesOf = Map.groupBy(writes, ({ key }) => key)
  return [...Map.groupBy(reads, ({ key }) => key)].flatMap(([key, reads]) => {
    const ordered = (writesOf.get(key) ?? []).toSorted((a, b) => a.start - b.start)
    return reads.flatMap(entry => violation(entry, judgeRead(entry, ordered)))
  })
}

/** A read shows at least what was acknowledged before its begin, and at most what was begun before its end. */
function judgeRead({ value, start, end, isLast }: Read, writes: Write[]): Violation['kind'] | undefined {
  const least = writes.findLast(write => write.isAcknowledged && write.end < start)?.value ?? 0
  const most = writes.findLast(write => write.start < end)?.value ?? 0
  if (value > most) return 'a value was never written'
  if (value >= least) return undefined
  return isLast ? 'a write is lost' : 'a read is stale'
}

function checkUses(revocations: Revocation[], uses: Use[]): Violation[] {
  const revocationsOf = Map.groupBy(revocations, ({ token }) => token)
  return uses.flatMap(entry => violation(entry, judgeUse(entry, revocationsOf.get(entry.token) ?? [])))
}

/** A token works until somebody begins to revoke it, and not after a revocation was acknowledged. */
function judgeUse({ start, end, isAccepted }: Use, revocations: Revocation[]): Violation['kind'] | undefined {
  const isRevoked = revocations.some(revocation => revocation.isAcknowledged && revocation.end < start)
  if (isAccepted) return isRevoked ? 'a revoked token is accepted' : undefined
  const mayBeRevoked = revocations.some(revocation => revocation.start < end)
  return mayBeRevoked ? undefined : 'a valid token is refused'
}

function checkRotations(rotations: Rotation[]): Violation[] {
  const accepted = Map.groupBy(
    rotations.filter(({ isAccepted }) => isAccepted),
    ({ token }) => token
  )
  return [...accepted.values()].flatMap(([, ...again]) =>
    again.flatMap(entry => violation(entry, 'a refresh token works twice'))
  )
}

const violation = (entry: Entry, kind: Violation['kind'] | undefined): Violation[] =>
  kind === undefined ? [] : [{ kind, entry }]
