import { randomUUID } from 'node:crypto'
import { array, boolean, sized } from 'decoders'
import type { Db } from '../../db/schema.ts'
import { NotAllowed } from '../../db/templates/writing/rights.ts'
import { transact } from '../../db/transaction.ts'
import { isStorable, unprintable } from '../../domain/text.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { Caller } from '../../graphql/operation/operation.ts'
import { ArgumentError, StoreError } from '../../runtime/host-errors.ts'
import {
  checkArgument,
  limited,
  matches,
  nonEmptyText,
  optional,
  type Shaped
} from '../../runtime/validator.ts'

type ViewTables = {
  product_saved_view: {
    id: string
    /** The author; null: deleted since. */
    user_id: string | null
    name: string
    /** Filter and order, as the query of an address of the explorer. */
    query: string
    /** The keys of the columns, as a JSON array. */
    columns: string
    /** 1: for all; 0: for the author. */
    shared: 0 | 1
    /** 1: everybody begins with its columns, if it is for all. At most one is. */
    is_default: 0 | 1
    time_modified: string
  }
}

export type StoredView = ViewTables['product_saved_view']

/** The database with the table of views. */
export const withViews = (db: Db) => db.withTables<ViewTables>()

const selectViews = (db: Db) => withViews(db).selectFrom('product_saved_view')

/** Views of one user, and views for all. They bound the list. */
const maxOwned = 50
const maxShared = 200

const key = limited(nonEmptyText, 120).refine(isStorable, '')

/** What a view consists of. */
const View = {
  id: optional(key).describe('the id of a view'),
  name: limited(matches(RegExp(`^(?! )[^${unprintable}]+(?<! )$`)), 60)
    .refine(isStorable, '')
    .describe('a text of one line with at most 60 characters, without spaces around it'),
  query: limited(matches(/^[!-~]*$/), 2000).describe('the query of an address with at most 2000 characters'),
  columns: sized(array(key), { max: 60 }).describe('at most 60 keys of columns'),
  shared: boolean.describe('a boolean')
}
export type ViewInput = Shaped<typeof View>

/**
 * Lists the views of a user and, without a rule, the shared ones, by their names. The filters of others may have names
 * and values of templates that a rule hides.
 */
export const listViews = (db: Db, { subject, rule }: Caller): Promise<StoredView[]> =>
  selectViews(db)
    .selectAll()
    .where(({ eb, or }) => or([eb('user_id', '=', subject), ...(rule ? [] : [eb('shared', '=', 1)])]))
    .orderBy('name')
    .orderBy('id')
    .limit(maxShared + maxOwned)
    .execute()

/** Finds the default view; undefined if there is none, and for somebody with a rule. */
export const findDefaultView = async (db: Db, { rule }: Caller): Promise<StoredView | undefined> =>
  rule
    ? undefined
    : selectViews(db).selectAll().where('is_default', '=', 1).where('shared', '=', 1).executeTakeFirst()

const mayChooseDefault = ({ mayPublish, rule }: Caller): boolean => mayPublish && !rule

/** Throws NotAllowed for somebody who may not decide what everybody begins with. */
function requireChoice(caller: Caller): void {
  if (!caller.mayPublish)
    throw new NotAllowed(
      'NO_RIGHT_TO_PUBLISH',
      'choosing, changing or deleting the default view requires the right to publish'
    )
  requireNoRule(caller)
}

function requireNoRule({ rule }: Caller): void {
  if (rule)
    throw new NotAllowed(
      'OUTSIDE_RULE',
      'your rule hides templates, so you can neither share views nor decide about the default view'
    )
}

const viewMissing = () => new StoreError('PTS_VIEW_MISSING', 'there is no such view', 'view')

/** Makes a shared view the default view; null for none. Throws NotAllowed or StoreError. */
export async function setDefaultView(db: Db, id: string | null, caller: Caller): Promise<void> {
  requireChoice(caller)
  await transact(db, async transaction => {
    const tables = withViews(transaction)
    await tables
      .updateTable('product_saved_view')
      .set({ is_default: 0 })
      .where('is_default', '=', 1)
      .execute()
    if (id === null) return
    const { numUpdatedRows } = await tables
      .updateTable('product_saved_view')
      .set({ is_default: 1 })
      .where('id', '=', isStorable(id) ? id : '')
      .where('shared', '=', 1)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw viewMissing()
  })
}

const mayEdit = ({ user_id, shared }: StoredView, { subject, scopes }: Caller): boolean =>
  user_id === subject || (scopes.includes('admin') && shared === 1)

/** Whether somebody may change and delete a view. A change of the default view changes what everybody sees. */
export const mayChange = (view: StoredView, caller: Caller): boolean =>
  mayEdit(view, caller) && (view.is_default === 0 || mayChooseDefault(caller))

/** Adds a view, or replaces the one with the id. Throws ArgumentError, NotAllowed or StoreError. */
export async function saveView(db: Db, given: ViewInput, caller: Caller): Promise<StoredView> {
  const { id = randomUUID(), columns, shared, ...texts } = checkArgument('view', View, given)
  if (caller.role === null) throw new ArgumentError('only users of this service have views')
  if (shared) requireNoRule(caller)
  return transact(db, async transaction => {
    // Nobody can see the private views of deleted users.
    await withViews(transaction)
      .deleteFrom('product_saved_view')
      .where('user_id', 'is', null)
      .where('shared', '=', 0)
      .execute()
    const before = given.id === undefined ? undefined : await requireView(transaction, id, caller)
    if (before && before.user_id !== caller.subject && !shared)
      throw new ArgumentError('only its author can stop sharing a view')
    const ids = selectViews(transaction).select('id')
    const isFull = async (query: typeof ids, most: number) =>
      (await query.limit(most).execute()).length === most
    if (!before && (await isFull(ids.where('user_id', '=', caller.subject), maxOwned)))
      throw new ArgumentError(`you have ${maxOwned} views: delete one first`)
    if (shared && before?.shared !== 1 && (await isFull(ids.where('shared', '=', 1), maxShared)))
      throw new ArgumentError(`there are ${maxShared} shared views: delete one first`)
    const values = {
      ...texts,
      columns: JSON.stringify(columns),
      shared: shared ? (1 as const) : (0 as const),
      ...(!shared && { is_default: 0 as const }),
      time_modified: timestamp()
    }
    const row = {
      is_default: before?.is_default ?? (0 as const),
      ...values,
      id,
      user_id: before ? before.user_id : caller.subject
    }
    await withViews(transaction)
      .insertInto('product_saved_view')
      .values(row)
      .onConflict(conflict => conflict.column('id').doUpdateSet(values))
      .execute()
    return row
  })
}

export const deleteView = (db: Db, id: string, caller: Caller): Promise<void> =>
  transact(db, async transaction => {
    await requireView(transaction, id, caller)
    await withViews(transaction).deleteFrom('product_saved_view').where('id', '=', id).execute()
  })

/**
 * Finds a view that somebody may change. Throws StoreError, also for a view that they may not see, and NotAllowed for
 * their own that everybody begins with.
 */
async function requireView(db: Db, id: string, caller: Caller): Promise<StoredView> {
  const found = isStorable(id) ? selectViews(db).selectAll().where('id', '=', id) : undefined
  const view = await found?.executeTakeFirst()
  if (!view || !mayEdit(view, caller)) throw viewMissing()
  if (view.is_default === 1) requireChoice(caller)
  return view
}
