/** What fields demand, known before they run from their arguments and what is selected below them. */
import type { Db } from '../db/schema.ts'

/** Coerced arguments or variables. */
export type Values = Record<string, unknown>

/** A field that is selected, and what it demands. */
export interface SelectedField {
  demands: FieldDemands
  given: Values
  /** The cost of an item, with what is selected of it. */
  costOfItem: number
  /** Approximate number of templates in the database. */
  templates: number
}

/**
 * What a field of the query type, or an event of a subscription, demands before it runs. The resolver has it beside what it
 * reads (`query` in execution/fields.ts). The requested cost of an operation is the sum of the three costs of its fields.
 */
export interface FieldDemands {
  /** Its cost whatever it returns. `query` charges it before the field runs. */
  fixed?: number
  /** The number of items that it returns, at most. `query` charges those that it did return. */
  items?(field: SelectedField): number
  /** The cost of its other work, at most. The functions that do this work charge it. */
  work?(field: SelectedField): number
  /** The cost that is allowed whatever the limit. */
  allowed?(field: SelectedField): number
  /** Whether it lists, counts or groups templates, with several statements in one snapshot. */
  listsTemplates?: true
  /** Whether it needs the index of templates, whatever its arguments. */
  needsIndex?: true
  /** Stores what the field needs before a snapshot opens, which is read-only. Without one, the field does so itself. */
  prepare?(db: Db): Promise<unknown>
}

/** A resolver with its demands. */
export type Demanding<Resolver = unknown> = Resolver & { demands: FieldDemands }

/** The items of a field that returns one. */
export const oneItem = () => 1

/** The items of a field that returns all there are, of which there are few. */
export const fewItems = () => 0

/** Makes the items of a page. */
export const pageOf =
  (size: { default: number; max: number }) =>
  ({ given: { first, last } }: SelectedField): number =>
    toSize(first ?? last, size)

/** Returns the requested size, limited to the range. The field refuses a size out of range when it runs. */
export const toSize = (value: unknown, size: { default: number; max: number }): number =>
  Math.min(Math.max(0, typeof value === 'number' ? value : size.default), size.max)

/** Counts the items of what a field has returned: a list, a connection, an object or null. */
export function countItems(returned: unknown): number {
  if (returned === null || returned === undefined) return 0
  const { edges = returned } = returned as { edges?: unknown }
  return Array.isArray(edges) ? edges.length : 1
}
