import type { ComponentChildren } from 'preact'
import { plural } from '../format.ts'
import { keepFocus } from '../numbers/number-input.tsx'
import { Cancel } from '../parts/cancel.tsx'
import { busy } from '../parts/use-busy.ts'
import { type Draft, isChanged, isTyped } from './draft.ts'
import { MessageField } from './message-field.tsx'
import { type Problem, toSentence } from './problem.ts'

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
        {problems.slice(0, maxProblems).map(problem => (
          <p key={problem.message + problem.pointer} class="notice warning">
            {toSentence(problem)}
          </p>
        ))}
        {problems.length > maxProblems && (
          <p class="notice warning">And {plural(problems.length - maxProblems, 'other')}.</p>
        )}
      </div>
      <div class="foot">
        <button
          type="submit"
          class="button primary"
          disabled={!isChanged(draft)}
          {...keepFocus}
          {...busy(isSaving)}
        >
          {base ? `Save revision ${base.revision + 1}` : 'Create'}
        </button>
        <Cancel isTyped={isTyped(draft)} onCancel={onCancel} />
        <MessageField label="Reason, kept with the revision" value={message} onChange={onMessage} />
        {children}
      </div>
    </div>
  )
}
