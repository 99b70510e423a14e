import type { ComponentChildren } from 'preact'
import { limit } from '../format.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { keepFocus } from '../numbers/read-input.tsx'
import { Button } from '../ui/button.tsx'
import { Cancel, Confirm } from '../ui/confirm.tsx'
import { MessageField } from '../ui/inputs.tsx'
import { type Draft, isChanged, isTyped } from './draft.ts'
import { type Problem, toSentence } from './problem.ts'
import { remove } from './save.ts'

interface Props {
  draft: Draft
  /** Problems that no field shows. */
  problems: Problem[]
  failure: string
  isSaving: boolean
  onMessage: (message: string) => void
  onCancel: () => void
  children?: ComponentChildren
}

/** The maximum number of problems that are shown. */
const maxProblems = 5

/** The bar at the end of the form: why nothing was saved, the buttons and the message of the revision. */
export function FormFooter(props: Props) {
  const { draft, problems, failure, isSaving, onMessage, onCancel, children } = props
  const { base, message } = draft
  return (
    <div class="bar-of-form">
      <div class="said" role="alert">
        {failure !== '' && <p class="notice warning">{failure}</p>}
        {limit(problems.map(toSentence), maxProblems).map(sentence => (
          <p key={sentence} class="notice warning">
            {sentence}
          </p>
        ))}
      </div>
      <div class="foot across">
        <Button type="submit" look="primary" disabled={!isChanged(draft)} {...keepFocus} isBusy={isSaving}>
          {base ? `Save revision ${base.revision + 1}` : 'Create'}
        </Button>
        <Cancel isTyped={isTyped(draft)} onCancel={onCancel} />
        <MessageField label="Reason, kept with the revision" value={message} onChange={onMessage} />
        {children}
      </div>
    </div>
  )
}

interface DeleteProps {
  id: number
  /** The stored name. The draft may have another one. */
  name: string
  revision: number
  onDeleted: () => void
}

/** Deletes the template after a confirmation. */
export function Delete({ id, name, revision, onDeleted }: DeleteProps) {
  const run = async () => {
    const { problems } = await remove(id, revision)
    if (problems.length === 0) {
      forgetList()
      onDeleted()
    }
    return problems.map(toSentence)
  }
  return (
    <Confirm title={`Delete ${name || `template ${id}`}?`} label="Delete" look="danger" onConfirm={run}>
      Its revisions are kept: you can restore it from the deleted templates.
    </Confirm>
  )
}
