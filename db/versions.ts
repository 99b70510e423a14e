import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { engineOf } from './dialects/engine.ts'
import type { VersionReading, VersionRow } from './dialects/interface.ts'
import { perDatabase } from './per-database.ts'
import type { Db } from './schema.ts'

/** Versions of what is committed. What was made from one of them holds as long as that one is the same (`===`). */
export interface Version {
  /** Of all templates. */
  readonly templates: string
  /** Of everything that can end a token before it expires. */
  readonly access: string
}

/** Milliseconds that a reading waits for the one before. */
const maxWait = 1000

/** Reads the versions of a database, once for all who ask in the same turn of the event loop. */
export class Versions {
  /** How often each version was found changed. */
  readonly changes = { templates: 0, access: 0 }
  readonly #db: Db
  /** The reading that has not begun: whoever asks now gets what it reads. */
  #joinable: Promise<Version> | undefined
  /** The reading in progress. */
  #inFlight: Promise<void> | undefined
  /** The last version, and what was committed when it was read. */
  #latest: Omit<VersionReading, 'rows'> & { version: Version } = {
    mark: undefined,
    version: { templates: '', access: '' }
  }

  constructor(db: Db) {
    this.#db = db
  }

  /** Resolves with the current version, read after this call. The same version is the same object. */
  now(): Promise<Version> {
    this.#joinable ??= this.#startReading()
    return this.#joinable
  }

  /** Starts to read after the reading before, so that at most one is in progress and nobody joins one that has begun. */
  async #startReading(): Promise<Version> {
    // Waits for the reading before; not for long, because its connection may hang.
    if (this.#inFlight) await settledWithin(maxWait, this.#inFlight)
    // For all callers of this turn.
    await setImmediate()
    this.#joinable = undefined
    const reading = this.#read()
    const running: Promise<void> = reading
      .catch(() => {})
      .then(() => {
        if (this.#inFlight === running) this.#inFlight = undefined
      })
    this.#inFlight = running
    return reading
  }

  async #read(): Promise<Version> {
    const latest = this.#latest
    const { rows, ...commits } = await engineOf(this.#db).readVersions(this.#db, latest.mark)
    // Not the last version: a reading that hung may have set that since.
    if (!rows) return latest.version
    const version = this.#toVersion(rows)
    this.#latest = { ...commits, version }
    return version
  }

  #toVersion(rows: VersionRow[]): Version {
    // Without a row, nothing is known.
    const version = { templates: randomUUID() as string, access: randomUUID() as string }
    for (const { name, value } of rows) version[name] = value
    const last = this.#latest.version
    const changed = (['templates', 'access'] as const).filter(name => version[name] !== last[name])
    for (const name of changed) if (last[name] !== '') this.changes[name]++
    return changed.length === 0 ? last : version
  }
}

/** Resolves when a promise has settled, or after that many milliseconds. */
async function settledWithin(milliseconds: number, promise: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds).unref()
  await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Reads `Version.templates` in a transaction, for what is read in the same snapshot; undefined if there is no row. */
export async function readTemplatesVersion(snapshot: Db): Promise<string | undefined> {
  const value = engineOf(snapshot).syntax.versionText.as('value')
  const query = snapshot.selectFrom('product_version').select(value).where('name', '=', 'templates')
  return (await query.groupBy('name').executeTakeFirst())?.value
}

/**
 * Whether what has one version on PostgreSQL has all that was committed at another: each row of it with the same or a
 * higher counter, `<number>:<counter>:<value>`.
 */
export function includesVersion(version: string, other: string): boolean {
  const rows = new Map(version.split(',').map(row => [row.split(':', 1)[0], row]))
  return other.split(',').every(row => {
    const [number = '', counter] = row.split(':')
    const own = rows.get(number)
    return own === row || Number(own?.split(':')[1] ?? -1) > Number(counter)
  })
}

/** Returns the versions of a database, the same for all who share it. */
export const versionsOf = perDatabase(db => new Versions(db))
