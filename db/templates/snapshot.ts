/** Snapshots of the templates, on the database or on a replica. */
import { engineOf, memoizeByDatabase, operationDb } from '../dialects/engine.ts'
import {
  codeOf,
  isRefusedStatement,
  isServerError,
  isUnavailable,
  NotReady,
  ReplicaFailed
} from '../dialects/faults.ts'
import type { DatabaseOptions } from '../dialects/interface.ts'
import { markRepeatable } from '../dialects/prepared.ts'
import type { Db, Transaction } from '../schema.ts'
import { includesVersion, readTemplatesVersion } from '../versions.ts'
import { ensureIndexed, isIndexed } from './template-index/state.ts'

/** A read-only transaction whose statements all read the same moment. */
export interface Snapshot {
  db: Transaction
  /** The replica that it reads from; undefined if it reads from the database itself. */
  replica?: Replica
  /** Ends the snapshot. Never rejects, because nothing can be lost. */
  end(): Promise<void>
}

/** Begins a snapshot, which shows the moment of its first statement. If `db` is a transaction, that is the snapshot. */
export async function beginSnapshot(db: Db): Promise<Snapshot> {
  if (db.isTransaction) return { db: db as Transaction, end: async () => {} }
  const snapshot = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  // A rollback always ends it, unless the connection is gone.
  const end = () =>
    snapshot
      .rollback()
      .execute()
      .catch(() => {})
  // If the server refuses a prepared statement, the client gets 503 and can retry, because a snapshot writes nothing.
  return { db: markRepeatable(snapshot), end }
}

/** Begins a snapshot. Ends it again and resolves with undefined if it is not usable. */
async function beginUsable(
  db: Db,
  isUsable: (snapshot: Transaction) => Promise<boolean>
): Promise<Snapshot | undefined> {
  const snapshot = await beginSnapshot(db)
  let isKept = false
  try {
    isKept = await isUsable(snapshot.db)
    return isKept ? snapshot : undefined
  } finally {
    if (!isKept) await snapshot.end()
  }
}

export interface SnapshotOptions {
  /** Whether a complete index is needed: pending templates are then indexed first, which writes. */
  needsIndex: boolean
  /** `Version.templates`, which a replica must have; without it, none is used. */
  templatesVersion?: string | undefined
  signal?: AbortSignal | undefined
}

/** Attempts to begin a snapshot without unindexed templates, which other programs write with plain SQL. */
const maxTries = 10

/**
 * Opens a snapshot of the templates, on the replica if it has the version. If the index is needed and other programs
 * have written templates with plain SQL, indexes these first. Rejects with NotReady if the index is not complete. The
 * caller ends it.
 */
export async function openSnapshot(db: Db, options: SnapshotOptions): Promise<Snapshot> {
  const { templatesVersion, signal, needsIndex } = options
  const replica = templatesVersion === undefined || db.isTransaction ? undefined : replicaOf(db)
  const replicated = await replica?.begin(templatesVersion as string, { signal, needsIndex })
  if (replicated) return replicated
  let cause: unknown
  for (let tries = 0; tries < maxTries; tries++) {
    const ownDb = operationDb(db, { signal })
    const isUsable = async (snapshot: Transaction) => !needsIndex || isIndexed(snapshot)
    const snapshot = await beginUsable(ownDb, isUsable).catch(error => {
      // The next snapshot does not prepare the statement.
      if (db.isTransaction || !isRefusedStatement(error)) throw error
    })
    if (snapshot) return snapshot
    if (db.isTransaction || cause) throw new NotReady('the index of templates is not complete', { cause })
    // Another process may have indexed them meanwhile, so the next snapshot decides.
    cause = await ensureIndexed(db, signal).catch(error => {
      if (isUnavailable(error)) return error
      throw error
    })
  }
  throw new NotReady('templates are written with plain SQL all the time')
}

/** Runs a job that only reads in a snapshot of {@link openSnapshot}. A fault of its replica rejects as unavailable. */
export async function inSnapshot<T>(
  db: Db,
  options: SnapshotOptions,
  job: (snapshot: Transaction) => Promise<T>
): Promise<T> {
  const snapshot = await openSnapshot(db, options)
  try {
    return await job(snapshot.db)
  } catch (error) {
    throw snapshot.replica?.noteFailure(error) ? new ReplicaFailed(error) : error
  } finally {
    await snapshot.end()
  }
}

/**
 * Whether an error of a read shows that the replica has failed or lacks a new table, column or function. A statement
 * that takes too long (57014), or fails because of its values, would do so on the database, too.
 */
function isReplicaFault(error: unknown): boolean {
  const code = codeOf(error)
  return (isUnavailable(error) && code !== '57014') || /^(42P01|42703|42883|XX00[12])$/.test(code)
}

/** Milliseconds for which a replica may be behind, because each commit takes a moment to arrive. */
const usualLag = 100
/** Milliseconds for which a replica is not used after it failed or was behind. Each pause is twice the last. */
const firstPause = 10
const longestPause = 10_000
/** Milliseconds of a pause from which a replica counts as degraded. */
const degradedPause = 1000

/** A replica of a database. A snapshot of it is never older than the version that the caller asks for. */
class Replica {
  /** The number of calls of `begin`, by result. One with an incomplete index has none. A served one may fail later. */
  readonly reads = { served: 0, behind: 0, failed: 0 }
  readonly #db: Db
  #servedAt = Number.NEGATIVE_INFINITY
  #pause = 0
  #resumesAt = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** `degraded` if the replica has been behind or has failed for a while. */
  get state(): 'ok' | 'degraded' {
    return this.#pause >= degradedPause ? 'degraded' : 'ok'
  }

  /**
   * Begins a snapshot that has at least this `Version.templates`. Resolves with undefined if the replica does not have
   * this version yet, or no complete index although one is needed; or if it is in a pause or fails.
   */
  async begin(
    templatesVersion: string,
    { signal, needsIndex }: Pick<SnapshotOptions, 'signal' | 'needsIndex'>
  ): Promise<Snapshot | undefined> {
    if (performance.now() < this.#resumesAt) return undefined
    try {
      const snapshot = await beginUsable(operationDb(this.#db, { signal }), async snapshot => {
        // The first statement sets the moment of the snapshot.
        const own = await readTemplatesVersion(snapshot)
        const isCurrent = own !== undefined && includesVersion(own, templatesVersion)
        if (!isCurrent) this.#note('behind')
        const isUsable = isCurrent && (!needsIndex || (await isIndexed(snapshot)))
        if (isUsable) this.#note('served')
        return isUsable
      })
      return snapshot && { ...snapshot, replica: this }
    } catch (error) {
      // The statements of this method are short and the same for all, so any error of the server is a failure.
      if (!isUnavailable(error) && !isServerError(error)) throw error
      this.#note('failed')
      return undefined
    }
  }

  /** Begins a pause if the error of a read shows that the replica has failed. Returns whether it does. */
  noteFailure(error: unknown): boolean {
    const hasFailed = isReplicaFault(error)
    if (hasFailed) this.#note('failed')
    return hasFailed
  }

  destroy(): Promise<void> {
    return this.#db.destroy()
  }

  #note(result: keyof Replica['reads']): void {
    const now = performance.now()
    this.reads[result]++
    if (result === 'served') {
      this.#servedAt = now
      this.#pause = 0
    } else if (result === 'failed' || now - this.#servedAt > usualLag)
      this.#pause = Math.min(longestPause, Math.max(firstPause, 2 * this.#pause))
    this.#resumesAt = now + this.#pause
  }
}

const attached = memoizeByDatabase<{ replica?: Replica }>(() => ({}))

export const replicaOf = (db: Db): Replica | undefined => attached(db).replica

/**
 * Opens a replica, which serves reads instead of the database. It may be unreachable now. Throws StartError if the
 * engine of the database has no replicas.
 */
export async function attachReplica(db: Db, url: string, options: DatabaseOptions): Promise<Replica> {
  const replica = new Replica(await engineOf(db).openReplica(url, options))
  attached(db).replica = replica
  return replica
}
