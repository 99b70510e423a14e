import { type ComponentChildren, cloneElement, type VNode } from 'preact'
import { useId } from 'preact/hooks'
import type { Problem } from '../edit/problem.ts'

interface Props {
  /** The field's name in problems: a column, or a JSON Pointer. */
  name?: string
  label: string
  hint?: ComponentChildren
  problems?: Problem[]
  children: VNode
}

/** A form field with its label, hint and problems. */
export function Field({ name, label, hint, problems = [], children }: Props) {
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

/** The problems of a field, for its `aria-describedby`. */
export function ProblemText({ id, problems }: { id: string; problems: Problem[] }) {
  if (problems.length === 0) return null
  return (
    <span class="problem" id={id}>
      {problems.map(({ message }) => message).join('; ')}
    </span>
  )
}
