/** The drafts of this tab. They survive a reload and a login. Pages that only mark drafts load no more than this. */
import { loadForTab, saveForTab } from '../storage.ts'

/** The subject of a draft: a stored template, or a new one, which may be a copy. */
export interface Subject {
  id?: number | undefined
  copyOf?: number | undefined
}

const keyOf = ({ id, copyOf }: Subject): string =>
  `draft ${id ?? (copyOf === undefined ? 'new' : `copy of ${copyOf}`)}`

export const loadDraft = <Draft>(subject: Subject): Draft | undefined => loadForTab<Draft>(keyOf(subject))
export const hasDraft = (subject: Subject): boolean => loadDraft(subject) !== undefined
export const keepDraft = (subject: Subject, draft: object | undefined): void =>
  saveForTab(keyOf(subject), draft)
