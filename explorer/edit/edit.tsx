import { Gone } from '../template/gone.tsx'
import { Reading } from '../ui/reading.tsx'
import { useTitle } from '../ui/use-title.ts'
import { DraftForm } from './draft-form.tsx'
import './edit.css'
import { Conflict } from './conflict.tsx'
import type { Subject } from './kept-drafts.ts'
import { OwnRule } from './own-rule.tsx'
import { useEditing } from './use-editing.ts'

/** The page that edits a template, or creates one if there is no id. */
export function Edit({ id, copyOf }: Subject) {
  const editing = useEditing({ id, copyOf })
  const { draft, reading, theirs, resolve, leave } = editing
  const title = id === undefined ? 'New template' : `Edit ${draft?.base?.name ?? ''}`
  useTitle(title)
  if (draft === null) return <Gone id={Number(id ?? copyOf)} onRestored={() => location.reload()} />
  if (draft === undefined) return <Reading of={reading} problem="The template could not be read." />
  return (
    <>
      <h1>{title}</h1>
      <OwnRule />
      {draft.copied && (
        <p class="muted">
          A copy of {draft.copied.name || 'a template without a name'} ({copyOf}), without its product id.
          Nothing is written before you create it.
        </p>
      )}
      {theirs && id !== undefined ? (
        <Conflict id={id} draft={draft} theirs={theirs} onMerged={resolve} onCancel={leave} />
      ) : (
        <DraftForm id={id} editing={editing} draft={draft} />
      )}
    </>
  )
}
