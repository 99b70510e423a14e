/** The demands of fields, known before they run from their arguments and the selections below them. */
import type { FieldNode, GraphQLField } from 'graphql'
import type { Db } from '../../db/schema.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { StoreStatistics } from '../../db/templates/statistics.ts'
import type { SelectionContext } from '../selection.ts'

/** Coerced arguments or variables. */
export type Values = Record<string, unknown>

/** A field that is selected, and its arguments. */
export interface SelectedField extends SelectionContext {
  definition: GraphQLField<unknown, unknown>
  fieldNodes: readonly FieldNode[]
  args: Values
  /** The arguments of all fields by their nodes. A field without arguments is absent. */
  argumentsOf: ReadonlyMap<FieldNode, Values>
  /** If the caller has a rule, the statistics reveal nothing about hidden templates. */
  statistics: StoreStatistics
  rule: TemplateRule | undefined
}

/** The demands of a field. Its resolver has them as a property (`cacheableField` in fields.ts). */
export interface FieldDemands {
  /** The cost of the field without its items; if absent, the cost of a read by a key. */
  ownCost?(field: SelectedField): number
  /** The maximum number of items that the field returns; one if absent. */
  items?(field: SelectedField): number
  /** The maximum number of items in each list of an item; one if absent. */
  itemsPerItem?(field: SelectedField): number
  /** The field may cost this much, even if the configured limit is lower. */
  minimumLimit?(field: SelectedField): number
  /** Whether a single statement reads all that is selected. Otherwise the operation reads in a snapshot. */
  readsByOneStatement?(field: SelectedField): boolean
  /** Whether the field is a bulk write. A mutation of bulk writes alone moves to a worker thread if it costs much. */
  isBulkWrite?: true
  /** Whether the field needs the index of templates, whatever its arguments are. */
  needsIndex?: true
  /**
   * Writes data that the field needs. It runs before the snapshot, because a snapshot is read-only. The snapshot then
   * does not use a replica. A field with it has no `readsByOneStatement`.
   */
  writeBeforeSnapshot?(db: Db): Promise<unknown>
}

/** A resolver with its demands. */
export type WithDemands<Resolver = unknown> = Resolver & { demands: FieldDemands }

/** Returns the demands of a field; undefined if its resolver has none. */
export const findDemands = ({ resolve }: GraphQLField<unknown, unknown>): FieldDemands | undefined =>
  (Object(resolve) as Partial<WithDemands>).demands

/** The number of items of a field that returns a complete, short list: its items cost nothing. */
export const freeItems = () => 0
