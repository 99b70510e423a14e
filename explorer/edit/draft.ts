import { chosenFields, type TemplateValues, usualValues } from '../../db/templates/table/columns.ts'
import { emptyDocument } from '../../db/templates/table/document.ts'
import { parseObject } from '../../json-values.ts'
import { mayPublish } from '../api.ts'
import { loadForTab, saveForTab } from '../storage.ts'
import type { SharedField } from './shared-fields.ts'
import { changeText } from './text-edit.ts'

/** An unsaved template, and what it started from. */
export interface Draft extends TemplateValues {
  /** The reason for the change, stored with the revision. */
  message: string
  /** The template at the revision that the draft started from; undefined for a new template. */
  base: (TemplateValues & { revision: number }) | undefined
  /** The template that a new draft was copied from. */
  copied?: TemplateValues
  /**
   * The fields that no longer change together with the document, because the values differ or have differed since the
   * draft started. Undefined before the first change.
   */
  unlinked?: SharedField[]
}

/** The subject of a draft: a stored template, or a new one, which may be a copy. */
export interface Subject {
  id?: number | undefined
  copyOf?: number | undefined
}

const keyOf = ({ id, copyOf }: Subject): string =>
  `draft ${id ?? (copyOf === undefined ? 'new' : `copy of ${copyOf}`)}`

/** Drafts survive a reload and a login. Only a draft for an empty new template needs no request. */
export const recallDraft = (subject: Subject): Draft | undefined =>
  loadForTab(keyOf(subject)) ?? ((subject.id ?? subject.copyOf) === undefined ? newDraft() : undefined)
export const hasDraft = (subject: Subject): boolean => loadForTab(keyOf(subject)) !== undefined
export const keepDraft = (subject: Subject, draft: Draft | undefined): void =>
  saveForTab(keyOf(subject), draft)

const newDraft = (): Draft => ({
  ...usualValues,
  name: '',
  data: `${JSON.stringify(emptyDocument('', usualValues.componentName), null, 2)}\n`,
  message: '',
  base: undefined
})

export function draftOf(template: TemplateValues & { revision: number }): Draft {
  const contents = pickValues(template, chosenFields) as TemplateValues
  return { ...contents, message: '', base: { ...contents, revision: template.revision } }
}

/**
 * Copies a template into a new draft. The copy is a different product, so it loses the product id. It stays public only
 * if the user may publish it.
 */
export function copyDraft(template: TemplateValues): Draft {
  const values = pickValues(template, chosenFields) as TemplateValues
  const productId = parseObject(values.data)?.productId ?? ''
  const copied = productId === '' ? values : { ...values, data: changeText(values.data, ['productId'], '') }
  const publicProduct = copied.publicProduct && mayPublish()
  return { ...copied, publicProduct, message: '', base: undefined, copied }
}

/** Returns the values that differ from `base`; all values if the template is new. */
export function changedValues(draft: Draft): Partial<TemplateValues> {
  const { base } = draft
  return pickValues(draft, base ? chosenFields.filter(field => draft[field] !== base[field]) : chosenFields)
}

const pickValues = (values: TemplateValues, fields: (keyof TemplateValues)[]): Partial<TemplateValues> =>
  Object.fromEntries(fields.map(field => [field, values[field]]))

export const isChanged = (draft: Draft): boolean => Object.keys(changedValues(draft)).length > 0
