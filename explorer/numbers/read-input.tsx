import type { ComponentChild } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** What the user typed. */
export interface Typed {
  text: string
  /** Why it is refused. The value is undefined if the text cannot be read. */
  problem: string | undefined
}

interface Props<Value> {
  value: unknown
  /** Reads a text. With both, the value was read but is refused. */
  read: (text: string) => { value?: Value; problem?: string }
  write: (value: unknown) => string
  onChange: (value: Value | undefined, typed: Typed) => void
  /** Whether `onChange` is called only when the user leaves the field or presses Enter, and only with values. */
  isLate?: boolean | undefined
  /** Whether something else shows the problem. */
  isQuiet?: boolean | undefined
  /** Whether a problem is only shown: the value is taken all the same. */
  isAdvice?: boolean | undefined
  /** What is shown below a problem, to confirm the value. A value that was not typed here has one, too. */
  more?: ComponentChild
  [attribute: string]: unknown
}

/**
 * A field whose text is read as a value. It keeps the text while the user types, whatever the text is, and shows its
 * problem when the user leaves it. Until the text is a value, the field is invalid: see {@link focusUnreadable}.
 */
export function ReadInput<Value>(props: Props<Value>) {
  const { value, read, write, onChange, isLate, isQuiet, isAdvice, more, ...attributes } = props
  /** The typed text, and the value that belongs to it. Another value replaces the text. */
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const [wasLeft, setLeft] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const isOld = typed !== undefined && !Object.is(typed.value, value)
  const text = isOld ? undefined : typed?.text
  const shown = text ?? (isAdvice || more ? write(value) : undefined)
  const problem = shown === undefined ? undefined : read(shown).problem
  const isShown = problem !== undefined && (wasLeft || text === undefined) && !isQuiet
  const refusal = isAdvice ? undefined : problem
  useLayoutEffect(() => input.current?.setCustomValidity(refusal ?? ''), [refusal])
  useLayoutEffect(() => {
    if (isOld) setTyped(undefined)
  }, [isOld])
  const type = (text: string) => {
    const { value: next, problem } = read(text)
    setTyped({ text, value: isLate || next === undefined ? value : next })
    if (!isLate) onChange(next, { text, problem })
  }
  const leave = () => {
    if (text === undefined) return
    const { value: next, problem } = read(text)
    setLeft(problem !== undefined)
    if (problem !== undefined) return
    if (isLate) onChange(next, { text, problem })
    setTyped(isLate ? { text: write(next), value } : undefined)
  }
  const field = (
    <input
      class="field"
      {...attributes}
      ref={input}
      autocomplete="off"
      value={text ?? write(value)}
      onInput={event => type(event.currentTarget.value)}
      onChange={leave}
      onInvalid={() => setLeft(true)}
      {...(isShown && {
        ...(!isAdvice && { 'aria-invalid': true }),
        'aria-describedby': [attributes['aria-describedby'], id].filter(Boolean).join(' ')
      })}
    />
  )
  if (isQuiet) return field
  return (
    <span class="number-input">
      {field}
      {isShown && (
        <span class="problem" id={id}>
          {problem}
        </span>
      )}
      {isShown && more}
    </span>
  )
}

/**
 * Shows the problems of all fields whose text is no value, and focuses the first. Returns whether there are any.
 */
export function focusUnreadable(container: ParentNode): boolean {
  const fields = [...container.querySelectorAll<HTMLInputElement>('input.field')]
  const [first] = fields.filter(field => !field.checkValidity())
  first?.focus()
  return first !== undefined
}

/**
 * Keeps the focus in the field while a button is pressed. If the user left the field instead, its problem could move
 * the button away before the click ends.
 */
export const keepFocus = { onMouseDown: (event: MouseEvent) => event.preventDefault() }
