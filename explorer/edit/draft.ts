import { recall, remember } from '../remembered.ts'
import type { Comparable } from '../template/parts.ts'

/** What the user has typed, and what it began with. */
export interface Draft extends Comparable {
  /** Why; kept with the revision. */
  message: string
  /** The template at the revision that the draft began with; undefined for a new one. */
  base: (Comparable & { revision: number }) | undefined
}

const key = (id: number | undefined): string => `draft ${id ?? 'new'}`

/** Drafts outlast a reload and a login. */
export const recallDraft = (id: number | undefined): Draft | undefined => recall(key(id))
export const keepDraft = (id: number | undefined, draft: Draft | undefined): void => remember(key(id), draft)

export const newDraft = (): Draft => ({
  name: '',
  blockchainId: 1,
  maxItems: 1,
  publicProduct: false,
  componentName: 'DefaultProduct',
  data: `${JSON.stringify({ productId: '', name: '', description: '', external_url: '', image: '', component: 'DefaultProduct', attributes: [] }, null, 2)}\n`,
  message: '',
  base: undefined
})

export function draftOf(template: Comparable & { revision: number }): Draft {
  const { name, blockchainId, maxItems, publicProduct, componentName, data, revision } = template
  const contents = { name, blockchainId, maxItems, publicProduct, componentName, data }
  return { ...contents, message: '', base: { ...contents, revision } }
}

const fields = ['name', 'blockchainId', 'maxItems', 'publicProduct', 'componentName', 'data'] as const

/** The values that differ from those the draft began with; all of them if it is new. */
export function changedValues(draft: Draft): Partial<Comparable> {
  const { base } = draft
  const changed = base ? fields.filter(field => draft[field] !== base[field]) : fields
  return Object.fromEntries(changed.map(field => [field, draft[field]]))
}

export const isChanged = (draft: Draft): boolean => Object.keys(changedValues(draft)).length > 0
