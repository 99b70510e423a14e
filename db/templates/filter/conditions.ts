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
