/** The demands of fields, known before they run from their arguments and the selections below them. */
import type { GraphQLResolveInfo } from 'graphql'
import type { Db } from '../../db/schema.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { StoreStatistics } from '../../db/templates/statistics.ts'

/** Coerced arguments or variables. */
export type Values = Record<string, unknown>

/** A field that is selected, and its arguments. */
export interface SelectedField
  extends Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'> {
  args: Values
  /** With a rule, the figures reveal nothing about hidden templates. */
  store: StoreStatistics
  rule: TemplateRule | undefined
}

/** The demands of a field, known before it runs. Its resolver has them as a property (`cacheableField` in fields.ts). */
export interface FieldDemands {
  /** The cost of the field without its items; if absent, the cost of a read by a key. */
  work?(field: SelectedField): number
  /** Maximum number of items that it returns; one if absent. */
  items?(field: SelectedField): number
  /** Maximum number of items in each list of an item; one if absent. */
  itemsOfItem?(field: SelectedField): number
  /** The limit of the cost is at least this number. */
  leastLimit?(field: SelectedField): number
  /** Whether a single statement reads all that is selected. Otherwise the operation opens a snapshot for its statements. */
  isOneStatement?(field: SelectedField): boolean
  /** Whether it is a mutation that may write many templates. Only such a mutation runs on a worker thread if it is large. */
  writesMany?: true
  /** Whether it needs the index of templates, whatever its arguments. */
  needsIndex?: true
  /**
   * Stores what the field needs before a snapshot opens, which is read-only and then not on a replica. Without a snapshot, the
   * field stores it.
   */
  prepare?(db: Db): Promise<unknown>
}

/** A resolver with its demands. */
export type WithDemands<Resolver = unknown> = Resolver & { demands: FieldDemands }

/** The items of a field that returns a complete, short list: they cost nothing. */
export const uncountedItems = () => 0

/** Makes a function that computes the number of items of a page. */
export const pageOf =
  (size: { default: number; max: number }) =>
  ({ args: { first, last } }: SelectedField): number =>
    toSize(first ?? last, size)

/** Returns the requested size, limited to the range. The field refuses a size out of range when it runs. */
export const toSize = (value: unknown, size: { default: number; max: number }): number =>
  Math.min(Math.max(0, typeof value === 'number' ? value : size.default), size.max)
