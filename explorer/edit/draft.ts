import { defaultValues, editableFields, type TemplateValues } from '../../domain/columns.ts'
import { emptyDocument, type SharedField } from '../../domain/document.ts'
import { parseObject } from '../../runtime/json-values.ts'
import { mayPublish } from '../api.ts'
import { loadDraft, type Subject } from './kept-drafts.ts'
import { changeText } from './text-edit.ts'

/** An unsaved template, and what it started from. */
export interface Draft extends TemplateValues {
  /** Tells the draft apart from an equal one. */
  key: string
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

/** Returns the kept draft. Only a draft for an empty new template needs no request. */
export const recallDraft = (subject: Subject): Draft | undefined =>
  loadDraft<Draft>(subject) ?? ((subject.id ?? subject.copyOf) === undefined ? newDraft() : undefined)

const newDraft = (): Draft => ({
  key: crypto.randomUUID(),
  ...defaultValues,
  name: '',
  data: `${JSON.stringify(emptyDocument('', defaultValues.componentName), null, 2)}\n`,
  message: '',
  base: undefined
})

export function draftOf(template: TemplateValues & { revision: number }): Draft {
  const contents = pickValues(template, editableFields) as TemplateValues
  return {
    key: crypto.randomUUID(),
    ...contents,
    message: '',
    base: { ...contents, revision: template.revision }
  }
}

/**
 * Copies a template into a new draft. The copy is a different product, so it loses the product id. It stays public only
 * if the user may publish it.
 */
export function copyDraft(template: TemplateValues): Draft {
  const values = pickValues(template, editableFields) as TemplateValues
  const productId = parseObject(values.data)?.productId ?? ''
  const data = productId === '' ? values.data : changeText(values.data, ['productId'], '')
  const copied = { ...values, data, publicProduct: values.publicProduct && mayPublish() }
  return { key: crypto.randomUUID(), ...copied, message: '', base: undefined, copied }
}

/** Returns the values that differ from `base`; all values if the template is new. */
export function changedValues(draft: Draft): Partial<TemplateValues> {
  const { base } = draft
  return pickValues(
    draft,
    base ? editableFields.filter(field => draft[field] !== base[field]) : editableFields
  )
}

export const pickValues = (
  values: TemplateValues,
  fields: (keyof TemplateValues)[]
): Partial<TemplateValues> => Object.fromEntries(fields.map(field => [field, values[field]]))

export const isChanged = (draft: Draft): boolean => Object.keys(changedValues(draft)).length > 0

/** Whether the user has typed something that would be lost without the draft. */
export function isTyped(draft: Draft): boolean {
  const start = draft.base ?? draft.copied ?? newDraft()
  return draft.message !== '' || editableFields.some(field => draft[field] !== start[field])
}
