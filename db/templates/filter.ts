import type { FieldConditions } from './fields.ts'

/** Bounds of a value; all that are given must hold. */
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
  /** null: the entry has no value. */
  equals?: unknown
  in?: unknown[]
  /** A part of a text, or one text of a list. */
  contains?: string
  /** false: there is no such entry. */
  exists?: boolean
}

/** The templates that meet every condition given. The conditions on fields come from the table in fields.ts. */
export interface TemplateFilter extends FieldConditions {
  /** An empty list is no condition. */
  and?: TemplateFilter[]
  /** An empty list matches nothing. */
  or?: TemplateFilter[]
  not?: TemplateFilter
}
