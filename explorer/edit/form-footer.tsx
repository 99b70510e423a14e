import type { ComponentChildren } from 'preact'
import { type Draft, isChanged } from './draft.ts'
import { MessageField } from './message-field.tsx'
import { type Problem, shortMessage } from './problem.ts'

interface Props {
  draft: Draft
  /** Problems that no field shows. */
  problems: Problem[]
  failure: string
  onMessage: (message: string) => void
  onCancel: () => void
  children?: ComponentChildren
}

/** The end of the form: problems, buttons and the message of the revision. */
export function FormFooter({ draft, problems, failure, onMessage, onCancel, children }: Props) {
  const { base, message } = draft
  return (
    <>
      <div role="alert">
        {failure !== '' && <p class="notice warning">{failure}</p>}
        {problems.map(problem => (
          <p key={problem.message + problem.pointer} class="notice warning">
            {problem.pointer && <code>{problem.pointer}</code>} {shortMessage(problem)}
          </p>
        ))}
      </div>
      <div class="foot">
        <button type="submit" class="button primary" disabled={!isChanged(draft)}>
          {base ? `Save revision ${base.revision + 1}` : 'Create'}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <MessageField label="Why, kept with the revision" value={message} onChange={onMessage} />
        {children}
      </div>
    </>
  )
}
