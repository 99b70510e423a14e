import type { FieldConditions } from './fields.ts'

/** Conditions on a value; all must hold. */
export interface Comparison<T> {
  equals?: T
  in?: T[]
  gt?: T
  gte?: T
  lt?: T
  lte?: T
}

export interface TextFilter {
  equals?: string
  in?: string[]
}

export interface NameFilter extends TextFilter {
  contains?: string
  startsWith?: string
}

export interface TraitFilter {
  type: string
  /** null: the value is absent or null. */
  equals?: unknown
  in?: unknown[]
  /** A part of a string value, or an element of a list. */
  contains?: string
  /** false: the document does not have the trait. */
  exists?: boolean
}

/** Conditions on templates; all must hold. Those on fields are defined by the table in fields.ts. */
export interface TemplateFilter extends FieldConditions {
  /** An empty list is ignored. */
  and?: TemplateFilter[]
  /** An empty list matches nothing. */
  or?: TemplateFilter[]
  not?: TemplateFilter
}
