import { sql } from 'kysely'
import { engineOf } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import { toIndexEntry } from '../../db/templates/template-index/entries.ts'
import { hashData } from '../../domain/document.ts'
import { yieldToEventLoop } from '../../runtime/event-loop.ts'

/** Of a sample: the maximum number of templates, spread over all, and the milliseconds after which it ends. */
const maxSampleSize = 1000
const maxSampleMs = 5000

/** The result of a comparison. The lists have the ids of templates with differences. */
export interface TemplateComparison {
  stored: number
  compared: number
  /** The entries in the index do not match the template. */
  unindexed: number[]
  /** The current revision is missing, or its hash is not that of `data`. */
  unrecorded: number[]
  /** The numbers of the revisions have gaps. */
  gaps: number[]
}

/** Templates per statement. */
const batchSize = 50
/** Words that are looked up in the index for each template. */
const maxTerms = 5

/** Compares all templates, or a sample, with the index and the revisions, which are derived from them. Changes nothing. */
export async function compareTemplates(db: Db, isFull: boolean): Promise<TemplateComparison> {
  const until = isFull ? Number.POSITIVE_INFINITY : performance.now() + maxSampleMs
  const { rows } = await sql<{ id: number }>`select id from product_template
    where not exists (select 1 from product_template_pending where template_id = product_template.id)
    order by id`.execute(db)
  const found: TemplateComparison = {
    stored: rows.length,
    compared: 0,
    unindexed: [],
    unrecorded: [],
    gaps: []
  }
  const length = isFull ? rows.length : Math.min(maxSampleSize, rows.length)
  const every = rows.length / length
  const ids = Array.from({ length }, (_, index) => rows[Math.floor(index * every)]?.id as number)
  for (let at = 0; at < ids.length && performance.now() < until; at += batchSize) {
    const batch = ids.slice(at, at + batchSize)
    await compareBatch(db, batch, found)
    found.compared += batch.length
    await yieldToEventLoop()
  }
  return found
}

async function compareBatch(db: Db, ids: number[], found: TemplateComparison): Promise<void> {
  const templates = await db
    .selectFrom('product_template')
    .select(['id', 'name', 'data', 'revision'])
    .where('id', 'in', ids)
    .execute()
  const traits = await readTraits(db, ids)
  const revisions = await readRevisions(db, ids)
  for (const template of templates) {
    const { id, revision, data } = template
    const { traits: expected, terms } = toIndexEntry(template)
    const keys = new Set(expected.map(({ type, key }) => join(type, engineOf(db).traits.storedKey(key))))
    const has = (traits.get(id) ?? []).map(({ type, key }) => join(type, key))
    const hasTerms = terms.length === 0 || (await matches(db, id, terms.slice(0, maxTerms)))
    if (has.length !== keys.size || has.some(key => !keys.has(key)) || !hasTerms) found.unindexed.push(id)
    const { hash, count } = revisions.get(id) ?? { hash: undefined, count: 0 }
    // null: the hash is not computed yet.
    if (hash !== null && hash !== hashData(data)) found.unrecorded.push(id)
    else if (Number(revision) !== count) found.gaps.push(id)
  }
}

const join = (type: string, key: string): string => `${type}\0${key}`

async function readTraits(db: Db, ids: number[]) {
  const { rows } = await sql<{ id: number; type: string; key: string }>`
    select product_trait.template_id as id, product_trait_type.type, product_trait.key
    from product_trait join product_trait_type on product_trait_type.id = product_trait.type_id
    where product_trait.template_id in (${sql.join(ids)})`.execute(db)
  return Map.groupBy(rows, ({ id }) => id)
}

async function matches(db: Db, id: number, terms: string[]): Promise<boolean> {
  const condition = engineOf(db).search.matches(sql.lit(id), terms)
  const { rows } = await sql`select 1 where ${condition}`.execute(db)
  return rows.length > 0
}

/** Reads the hash of the current revision, and the count of revisions. */
async function readRevisions(db: Db, ids: number[]) {
  const { rows } = await sql<{ id: number; hash: string | null; count: number }>`
    select template_id as id, count(*) as count, max(case when number = revision then hash end) as hash
    from product_revision join product_template on product_template.id = template_id
    where template_id in (${sql.join(ids)}) group by template_id`.execute(db)
  return new Map(rows.map(({ id, count, ...more }) => [id, { ...more, count: Number(count) }]))
}
