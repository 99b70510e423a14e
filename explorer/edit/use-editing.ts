import { useEffect, useState } from 'preact/hooks'
import { refusalOf } from '../api.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { watchChanges } from '../live.ts'
import { isAborted } from '../requests.ts'
import { hrefOf, navigate, route } from '../route.ts'
import { type FullTemplate, readTemplate } from '../template/read.ts'
import { lastSave } from '../template/saved.tsx'
import { withoutChanged } from './changed-fields.ts'
import { copyDraft, type Draft, draftOf, isChanged, keepDraft, recallDraft, type Subject } from './draft.ts'
import type { Problem } from './problem.ts'
import { isConflict, save } from './save.ts'
import { recordUnlinked } from './shared-fields.ts'

export interface Editing {
  /** Undefined until the template has been read, null if it does not exist. */
  draft: Draft | null | undefined
  /** The problems that the service reported, without those of fields that have changed since. */
  problems: Problem[]
  /** Why the request failed. */
  failure: string
  /** The stored template after a conflict. */
  theirs: FullTemplate | undefined
  /** The highest known revision. */
  newest: number
  change: (values: Partial<Draft>) => void
  submit: () => Promise<void>
  compare: () => Promise<void>
  resolve: (draft: Draft) => void
  /** Discards the draft. */
  leave: () => void
}

/** Makes a draft of the stored template; null if it does not exist. */
async function readDraft({ id, copyOf }: Subject): Promise<Draft | null> {
  const template = await readTemplate((id ?? copyOf) as number)
  return template && (id === undefined ? copyDraft : draftOf)(template)
}

/**
 * Edits a template, or a new one if there is no id. The draft survives a reload and a login. `compare` in the address
 * shows the conflict at once.
 */
export function useEditing(subject: Subject): Editing {
  const { id, copyOf } = subject
  const [draft, setDraft] = useState<Draft | null | undefined>(() => recallDraft(subject))
  const [theirs, setTheirs] = useState<FullTemplate>()
  const [newest, setNewest] = useState(0)
  const [problems, setProblems] = useState<Problem[]>([])
  const [failure, setFailure] = useState('')
  useEffect(() => {
    if (draft === undefined)
      readDraft(subject)
        .then(setDraft)
        .catch(error => isAborted(error) || setDraft(null))
    if (draft?.base && route.value.params.has('compare')) compare()
    return watchChanges(change => {
      if (change.id === id) setNewest(change.revision)
    })
  }, [id])
  const change = (values: Partial<Draft>) => {
    const next = recordUnlinked(draft as Draft, { ...(draft as Draft), ...values })
    setDraft(next)
    setProblems(withoutChanged(problems, draft as Draft, next))
    keepDraft(subject, isChanged(next) ? next : undefined)
  }
  const compare = async () => setTheirs(await readNewer(id as number, draft?.base?.revision))
  const leave = (to = id ?? copyOf) => {
    keepDraft(subject, undefined)
    navigate(to === undefined ? '#/' : hrefOf(['templates', to]))
  }
  const submit = async () => {
    setFailure('')
    try {
      const saved = await save(id, draft as Draft)
      if (isConflict(saved)) return await compare()
      setProblems(saved.problems)
      if (saved.problems.length > 0) return
      lastSave.value = saved
      if (id === undefined) forgetList()
      leave(saved.id)
    } catch (error) {
      setFailure(refusalOf(error) ?? 'The service did not answer. What you typed is kept: save again.')
    }
  }
  const resolve = (next: Draft) => {
    change(next)
    setTheirs(undefined)
    setProblems([])
  }
  return { draft, problems, failure, theirs, newest, change, submit, compare, resolve, leave: () => leave() }
}

/** Reads the template; undefined if it is still at the given revision. */
async function readNewer(id: number, revision: number | undefined): Promise<FullTemplate | undefined> {
  const template = await readTemplate(id)
  return template && template.revision !== revision ? template : undefined
}
