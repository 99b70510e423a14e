import { chosenFields, type TemplateValues } from '../../db/templates/table/columns.ts'
import { emptyDocument } from '../../db/templates/table/document.ts'
import { mayPublish } from '../api.ts'
import { recall, remember } from '../remembered.ts'
import { parseObject } from '../template/parts.ts'
import type { Shared } from './on-chain.ts'
import { changeText } from './text-edit.ts'

/** What the user has typed, and what it began with. */
export interface Draft extends TemplateValues {
  /** Why; kept with the revision. */
  message: string
  /** The template at the revision that the draft began with; undefined for a new one. */
  base: (TemplateValues & { revision: number }) | undefined
  /** The template that a new one is a copy of. */
  copied?: TemplateValues
  /** The fields that are changed on their own, because the document has or had other values; undefined if nothing changed. */
  apart?: Shared[]
}

/** What is edited: a template, or a new one, which may begin as a copy. */
export interface Subject {
  id?: number | undefined
  copyOf?: number | undefined
}

const keyOf = ({ id, copyOf }: Subject): string =>
  `draft ${id ?? (copyOf === undefined ? 'new' : `copy of ${copyOf}`)}`

/** Drafts outlast a reload and a login. An empty one needs nothing to begin with. */
export const recallDraft = (subject: Subject): Draft | undefined =>
  recall(keyOf(subject)) ?? ((subject.id ?? subject.copyOf) === undefined ? newDraft() : undefined)
export const hasDraft = (subject: Subject): boolean => recall(keyOf(subject)) !== undefined
export const keepDraft = (subject: Subject, draft: Draft | undefined): void => remember(keyOf(subject), draft)

const newDraft = (): Draft => ({
  name: '',
  blockchainId: 1,
  maxItems: 1,
  publicProduct: false,
  componentName: 'DefaultProduct',
  data: `${JSON.stringify(emptyDocument('', 'DefaultProduct'), null, 2)}\n`,
  message: '',
  base: undefined
})

export function draftOf(template: TemplateValues & { revision: number }): Draft {
  const contents = pickValues(template, chosenFields) as TemplateValues
  return { ...contents, message: '', base: { ...contents, revision: template.revision } }
}

/** A copy is another product, so it has no product id yet. It is public only if the user may publish it. */
export function copyDraft(template: TemplateValues): Draft {
  const values = pickValues(template, chosenFields) as TemplateValues
  const productId = parseObject(values.data)?.productId ?? ''
  const copied = productId === '' ? values : { ...values, data: changeText(values.data, ['productId'], '') }
  const publicProduct = copied.publicProduct && mayPublish()
  return { ...copied, publicProduct, message: '', base: undefined, copied }
}

/** The values that differ from those the draft began with; all of them if it is new. */
export function changedValues(draft: Draft): Partial<TemplateValues> {
  const { base } = draft
  return pickValues(draft, base ? chosenFields.filter(field => draft[field] !== base[field]) : chosenFields)
}

const pickValues = (values: TemplateValues, fields: (keyof TemplateValues)[]): Partial<TemplateValues> =>
  Object.fromEntries(fields.map(field => [field, values[field]]))

export const isChanged = (draft: Draft): boolean => Object.keys(changedValues(draft)).length > 0
