import { useEffect, useState } from 'preact/hooks'
import { editableFields } from '../../domain/columns.ts'
import { describeFailure } from '../api.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { watchChanges } from '../live.ts'
import { hrefOf, navigate, route } from '../route.ts'
import { type FullTemplate, readTemplate } from '../template/read.ts'
import { lastSave } from '../template/saved.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { useRead } from '../ui/use-read.ts'
import { copyDraft, type Draft, draftOf, isChanged, recallDraft } from './draft.ts'
import { keepDraft, type Subject } from './kept-drafts.ts'
import { noAnswer, type Problem, withoutChanged } from './problem.ts'
import { isConflict, type Saved, save } from './save.ts'
import { recordUnlinked } from './shared-fields.ts'

export type Editing = ReturnType<typeof useEditing>

const nothingSaved = 'Nothing was saved. Correct what is marked, then save again.'

/** Makes a draft of the stored template; null if it does not exist. */
async function readDraft({ id, copyOf }: Subject, stop: AbortSignal): Promise<Draft | null> {
  const template = await readTemplate((id ?? copyOf) as number, stop)
  return template && (id === undefined ? copyDraft : draftOf)(template)
}

/**
 * Edits a template, or a new one if there is no id. The draft survives a reload and a login. `compare` in the address
 * shows the conflict at once. `draft` is undefined until `reading` has read the template, null if it does not exist.
 * `problems` are what the service reported, without those of fields that have changed since; `failure` says why nothing
 * was saved; `theirs` is the stored template after a conflict.
 */
export function useEditing(subject: Subject) {
  const { id, copyOf } = subject
  const [changed, setDraft] = useState<Draft | undefined>(() => recallDraft(subject))
  const reading = useRead(stop => (changed ? undefined : readDraft(subject, stop)), [id])
  const draft = changed ?? reading.data
  const [theirs, setTheirs] = useState<FullTemplate>()
  const newest = useNewest(id, draft?.base !== undefined)
  const [problems, setProblems] = useState<Problem[]>([])
  const [failure, setFailure] = useState('')
  const [isSaving, saveOnce] = useBusy()
  useEffect(() => {
    if (draft?.base && route.value.params.has('compare')) compare()
  }, [id])
  const change = (values: Partial<Draft>) => {
    const next = recordUnlinked(draft as Draft, { ...(draft as Draft), ...values })
    setDraft(next)
    setFailure('')
    setProblems(withoutChanged(problems, draft as Draft, next))
    keepDraft(subject, isChanged(next) ? next : undefined)
  }
  const compare = async () => setTheirs(await readNewer(id as number, draft?.base?.revision))
  const leave = (to = id ?? copyOf) => {
    keepDraft(subject, undefined)
    navigate(to === undefined ? '#/' : hrefOf(['templates', to]))
  }
  const trySaving = async () => {
    setFailure('')
    const saved = await attempt(id, draft as Draft)
    if (saved.theirs) return setTheirs(saved.theirs)
    setProblems(saved.problems)
    if (saved.problems.length > 0) return setFailure(nothingSaved)
    lastSave.value = saved
    if (id === undefined) forgetList()
    leave(saved.id)
  }
  const submit = () =>
    saveOnce(() => trySaving().catch(error => setFailure(describeFailure(error, noAnswer))))
  const resolve = (next: Draft) => {
    change(next)
    setTheirs(undefined)
  }
  return {
    ...{ draft, reading, problems, failure, isSaving, theirs, newest },
    ...{ change, submit, refuse: () => setFailure(nothingSaved), compare, resolve, leave: () => leave() }
  }
}

/**
 * Saves a draft. After a conflict, returns the stored template, too, unless it has the contents of the draft: then an
 * earlier attempt has saved them, whose answer was lost.
 */
async function attempt(
  id: number | undefined,
  draft: Draft
): Promise<Saved & { theirs?: FullTemplate | undefined }> {
  const saved = await save(id, draft)
  const theirs = isConflict(saved) ? await readNewer(id as number, draft.base?.revision) : undefined
  const isSaved = theirs && editableFields.every(field => theirs[field] === draft[field])
  return isSaved ? { id, revision: theirs.revision, problems: [] } : { ...saved, theirs }
}

/** Returns the highest known revision of a template. A recalled draft may be older than what is stored. */
function useNewest(id: number | undefined, isRecalled: boolean): number {
  const { data: stored } = useRead(stop => (isRecalled ? readTemplate(id as number, stop) : undefined), [id])
  const [newest, setNewest] = useState(0)
  useEffect(
    () =>
      watchChanges(change => {
        if (change.id === id) setNewest(change.revision)
      }),
    [id]
  )
  return Math.max(newest, stored?.revision ?? 0)
}

/** Reads the template; undefined if it is still at the given revision. */
async function readNewer(id: number, revision: number | undefined): Promise<FullTemplate | undefined> {
  const template = await readTemplate(id)
  return template && template.revision !== revision ? template : undefined
}
