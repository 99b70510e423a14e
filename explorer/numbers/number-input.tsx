import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { findNotation, readNumber, writeNumber } from './number-text.ts'

/** What the user typed. */
export interface Typed {
  text: string
  /** Why it is refused. The number is undefined if the text is not one. */
  problem: string | undefined
}

interface Props {
  value: unknown
  onChange: (number: number | undefined, typed: Typed) => void
  /** Returns why a number is refused. */
  check?: ((number: number) => string | undefined) | undefined
  /** Whether the field may be empty. */
  isOptional?: boolean
  /** Whether `onChange` is called only when the user leaves the field or presses Enter, and only with numbers. */
  isLate?: boolean
  /** Whether something else shows the problem. */
  isQuiet?: boolean
  [attribute: string]: unknown
}

const notation = findNotation()

const format = (value: unknown): string => (typeof value === 'number' ? writeNumber(value, notation) : '')

/**
 * A number field. It keeps the text while the user types, whatever the text is, and shows its problem when the user
 * leaves it. Until the text is a number, the field is invalid: see {@link focusUnreadable}.
 */
export function NumberInput({ value, onChange, check, isOptional, isLate, isQuiet, ...attributes }: Props) {
  /** The typed text, and the value that belongs to it. Another value replaces the text. */
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const [wasLeft, setLeft] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const read = (text: string): { number?: number; problem?: string } => {
    if (isOptional && text.trim() === '') return {}
    const reading = readNumber(text, notation)
    if ('problem' in reading) return reading
    const problem = check?.(reading.number)
    return problem === undefined ? reading : { ...reading, problem }
  }
  const isOld = typed !== undefined && !Object.is(typed.value, value)
  const text = isOld ? undefined : typed?.text
  const problem = text === undefined ? undefined : read(text).problem
  const isWrong = problem !== undefined && wasLeft && !isQuiet
  useLayoutEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem])
  useLayoutEffect(() => {
    if (isOld) setTyped(undefined)
  }, [isOld])
  const type = (text: string) => {
    const { number, problem } = read(text)
    setTyped({ text, value: isLate || number === undefined ? value : number })
    if (!isLate) onChange(number, { text, problem })
  }
  const leave = () => {
    if (text === undefined) return
    const { number, problem } = read(text)
    setLeft(problem !== undefined)
    if (problem !== undefined) return
    if (isLate) onChange(number, { text, problem })
    setTyped(isLate ? { text: format(number), value } : undefined)
  }
  const field = (
    <input
      class="field"
      {...attributes}
      ref={input}
      autocomplete="off"
      value={text ?? format(value)}
      onInput={event => type(event.currentTarget.value)}
      onChange={leave}
      onInvalid={() => setLeft(true)}
      {...(isWrong && {
        'aria-invalid': true,
        'aria-describedby': [attributes['aria-describedby'], id].filter(Boolean).join(' ')
      })}
    />
  )
  if (isQuiet) return field
  return (
    <span class="number-input">
      {field}
      {isWrong && (
        <span class="problem" id={id}>
          {problem}
        </span>
      )}
    </span>
  )
}

/**
 * Shows the problems of all number fields whose text is not a number, and focuses the first. Returns whether there are
 * any.
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
