import type { FieldConditions } from './fields.ts'

/** Conditions on templates; all must hold. Those on fields are defined by the table in fields.ts. */
export interface TemplateFilter extends FieldConditions {
  /** An empty list is ignored. */
  and?: TemplateFilter[]
  /** An empty list matches nothing. */
  or?: TemplateFilter[]
  not?: TemplateFilter
}
