import { cloneElement, type VNode } from 'preact'
import { useId } from 'preact/hooks'
import { type Problem, shortMessage } from './problem.ts'

interface Props {
  /** What problems call it: a column, or a JSON Pointer. */
  name: string
  label: string
  hint?: string | undefined
  problems: Problem[]
  children: VNode
}

/** A field of the form with its name, what it is for, and what is wrong with it. */
export function Field({ name, label, hint, problems, children }: Props) {
  const id = useId()
  const described = [hint && `${id}-hint`, problems.length > 0 && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div class="form-field">
      <label class="label" for={id}>
        {label}
      </label>
      {cloneElement(children, {
        id,
        'data-field': name,
        'aria-describedby': described || undefined,
        'aria-invalid': problems.length > 0 || undefined
      })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      <ProblemText id={`${id}-problem`} problems={problems} />
    </div>
  )
}

/** What is wrong with a field, in words; the field names it by `aria-describedby`. */
export function ProblemText({ id, problems }: { id: string; problems: Problem[] }) {
  if (problems.length === 0) return null
  return (
    <span class="problem" id={id}>
      {problems.map(shortMessage).join('; ')}
    </span>
  )
}
