import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { type CompiledQuery, sql } from 'kysely'
import { engineOf } from './dialects/engine.ts'
import type { Marked } from './dialects/interface.ts'
import { prepare } from './dialects/prepared.ts'
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
  readonly #query: CompiledQuery<VersionRow | Marked>
  #next: Promise<Version> | undefined
  /** The reading in progress. */
  #running: Promise<void> | undefined
  #last: Version = { templates: '', access: '' }
  #mark: number | undefined
  /** A version, and the mark of the server when it was read. */
  #marked: { mark: string; version: Version } | undefined

  constructor(db: Db) {
    this.#db = db
    const { syntax, selectUnlessSame } = engineOf(db)
    const rows = sql<VersionRow>`select name, ${syntax.versionText} as value from product_version group by name`
    this.#query = prepare<VersionRow | Marked>((selectUnlessSame?.(rows, null) ?? rows).compile(db))
  }

  /** Resolves with the current version, read after this call. The same version is the same object. */
  now(): Promise<Version> {
    this.#next ??= this.#startNext()
    return this.#next
  }

  /** The reading that the callers of this turn of the event loop wait for; undefined if it takes longer than the turn. */
  get inThisTurn(): Promise<Version> | undefined {
    return this.#mark === undefined ? undefined : this.#next
  }

  /** Starts to read after the reading before, so that at most one is in progress and nobody joins one that has begun. */
  async #startNext(): Promise<Version> {
    // Waits for the reading before; not for long, because its connection may hang.
    if (this.#running) await Promise.race([this.#running, setTimeout(maxWait, undefined, { ref: false })])
    // For all callers of this turn.
    await setImmediate()
    this.#next = undefined
    const reading = this.#read()
    const running: Promise<void> = reading
      .catch(() => {})
      .then(() => {
        if (this.#running === running) this.#running = undefined
      })
    this.#running = running
    return reading
  }

  async #read(): Promise<Version> {
    // Taken first: what is committed in between is read now, and looked for once more.
    const mark = engineOf(this.#db).commitMark(this.#db)
    if (mark === undefined || mark !== this.#mark) this.#last = await this.#readTable()
    this.#mark = mark
    return this.#last
  }

  async #readTable(): Promise<Version> {
    const known = this.#marked
    const { parameters } = this.#query
    const query = { ...this.#query, parameters: parameters.map(() => known?.mark ?? null) }
    const { rows } = await this.#db.executeQuery(query)
    const [first] = rows as (VersionRow | Marked)[]
    if (!isMarked(first)) return this.#toVersion(rows as VersionRow[])
    // Not the last version: a reading that hung may have set that since.
    if (first.rows === null && known) return known.version
    const version = this.#toVersion(JSON.parse(first.rows ?? '[]'))
    this.#marked = { mark: first.mark, version }
    return version
  }

  #toVersion(rows: VersionRow[]): Version {
    // Without a row, nothing is known.
    const version = { templates: randomUUID() as string, access: randomUUID() as string }
    for (const { name, value } of rows) version[name] = value
    const last = this.#last
    const changed = (['templates', 'access'] as const).filter(name => version[name] !== last[name])
    for (const name of changed) if (last[name] !== '') this.changes[name]++
    return changed.length === 0 ? last : version
  }
}

interface VersionRow {
  name: keyof Version
  value: string
}

const isMarked = (row: VersionRow | Marked | undefined): row is Marked => row !== undefined && 'mark' in row

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
