import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { engineOf, memoizeByDatabase } from './dialects/engine.ts'
import type { VersionReading, VersionRow } from './dialects/interface.ts'
import type { Db } from './schema.ts'

/**
 * Versions of the committed data, which triggers renew (db/migrations/triggers/versions.ts). A result that was computed
 * at a version is valid while the version is the same (`===`).
 */
export interface Version {
  /** The version of all templates. */
  readonly templates: string
  /** The version of everything that can end a token before it expires. */
  readonly access: string
}

/** Maximum milliseconds that a read waits for the previous read. */
const maxWait = 1000

/** Reads the versions of a database. All callers in one turn of the event loop share one read. */
export class Versions {
  /** How often each version has changed. */
  readonly changes = { templates: 0, access: 0 }
  readonly #db: Db
  /** The read that has not begun yet. Callers may still join it. */
  #joinable: Promise<Version> | undefined
  /** The read in progress. */
  #inFlight: Promise<void> | undefined
  /** The last version, and the mark of the commits when it was read. */
  #latest: Omit<VersionReading, 'rows'> & { version: Version } = {
    mark: undefined,
    version: { templates: '', access: '' }
  }

  constructor(db: Db) {
    this.#db = db
  }

  /** Resolves with the version at a moment after this call. Equal versions are the same object. */
  now(): Promise<Version> {
    this.#joinable ??= this.#startReading()
    return this.#joinable
  }

  /** Reads after the previous read has ended, so that usually one read runs. Nobody joins a read that has begun. */
  async #startReading(): Promise<Version> {
    // The wait is limited, because the connection of the previous read may hang.
    if (this.#inFlight) await settledWithin(maxWait, this.#inFlight)
    // All callers in this turn join.
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
    // Does not return `this.#latest`: a read that hung may have replaced it since.
    if (!rows) return latest.version
    const version = this.#toVersion(rows)
    this.#latest = { ...commits, version }
    return version
  }

  #toVersion(rows: VersionRow[]): Version {
    // Without a row, nothing is known, and the version must differ from any other.
    const version = { templates: randomUUID() as string, access: randomUUID() as string }
    for (const { name, value } of rows) version[name] = value
    const last = this.#latest.version
    const changed = (['templates', 'access'] as const).filter(name => version[name] !== last[name])
    for (const name of changed) if (last[name] !== '') this.changes[name]++
    return changed.length === 0 ? last : version
  }
}

/** Resolves when a promise has settled, or after some milliseconds. */
async function settledWithin(milliseconds: number, promise: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds).unref()
  await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Reads the current `Version.templates`, or that of a snapshot; undefined if there is no row. */
export async function readTemplatesVersion(db: Db): Promise<string | undefined> {
  const value = engineOf(db).syntax.versionText.as('value')
  const query = db.selectFrom('product_version').select(value).where('name', '=', 'templates')
  return (await query.groupBy('name').executeTakeFirst())?.value
}

/**
 * Whether a version on PostgreSQL includes everything that another one does: each row `<number>:<counter>:<value>` of
 * the other is the same here, or has a higher counter.
 */
export function includesVersion(version: string, other: string): boolean {
  const rows = new Map(version.split(',').map(row => [row.split(':', 1)[0], row]))
  return other.split(',').every(row => {
    const [number = '', counter] = row.split(':')
    const own = rows.get(number)
    return own === row || Number(own?.split(':')[1] ?? -1) > Number(counter)
  })
}

/** Returns the `Versions` of a database, which all its users share. */
export const versionsOf = memoizeByDatabase(db => new Versions(db))
