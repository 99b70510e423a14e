import { engineOfUrl, operationDb } from './dialects/engine.ts'
import { isUnavailable } from './dialects/faults.ts'
import type { DatabaseOptions } from './dialects/interface.ts'
import { perDatabase } from './per-database.ts'
import type { Db } from './schema.ts'
import { beginSnapshot, type Snapshot } from './transaction.ts'
import { includesVersion, readTemplatesVersion } from './versions.ts'

/** Milliseconds for which a replica may be behind: every replica is for a moment after each commit. */
const usualLag = 100
/** Milliseconds for which one that is behind for longer, or fails, is left alone: the first time, and at most. */
const firstPause = 10
const longestPause = 10_000
/** Milliseconds of pause from which a replica counts as degraded. */
const degradedPause = 1000

/** A replica of a database. What it reads is never older than a version of the database itself. */
export class Replica {
  /** How often a snapshot was asked for, by the result. One that began may fail later. */
  readonly reads = { served: 0, behind: 0, failed: 0 }
  readonly #db: Db
  #servedAt = Number.NEGATIVE_INFINITY
  #pause = 0
  #resumesAt = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** `degraded` if it has been behind or failing for a while. */
  get state(): 'ok' | 'degraded' {
    return this.#pause >= degradedPause ? 'degraded' : 'ok'
  }

  /**
   * Begins a snapshot that has at least this `Version.templates`. Resolves with undefined if the replica has none yet, is
   * left alone or fails.
   */
  async begin(version: string, signal?: AbortSignal): Promise<Snapshot | undefined> {
    if (performance.now() < this.#resumesAt) return undefined
    let snapshot: Snapshot | undefined
    try {
      snapshot = await beginSnapshot(operationDb(this.#db, { signal }))
      // The first statement, which sets the moment of the snapshot.
      const own = await readTemplatesVersion(snapshot.db)
      if (own !== undefined && includesVersion(own, version)) {
        this.#note('served')
        return snapshot
      }
      this.#note('behind')
      await snapshot.end()
    } catch (error) {
      await snapshot?.end()
      if (!this.noteFailure(error)) throw error
    }
    return undefined
  }

  /** Leaves the replica alone for a while if the error is one of its server. Returns whether it is. */
  noteFailure(error: unknown): boolean {
    // It may lack a column that the database has got just now.
    const isOfServer = isUnavailable(error) || (error as { severity?: unknown })?.severity !== undefined
    if (isOfServer) this.#note('failed')
    return isOfServer
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

const attached = perDatabase<{ replica?: Replica }>(() => ({}))

export const replicaOf = (db: Db): Replica | undefined => attached(db).replica

/** Opens a replica by its URL, for reading from it instead of the database. It need not be reachable. Throws StartError. */
export async function attachReplica(db: Db, url: string, options: DatabaseOptions): Promise<Replica> {
  const replica = new Replica(await engineOfUrl(url).openReplica(url, options))
  attached(db).replica = replica
  return replica
}
