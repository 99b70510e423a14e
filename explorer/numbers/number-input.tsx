import { findNotation, readNumber, writeNumber } from './number-text.ts'
import { ReadInput, type Typed } from './read-input.tsx'

interface Props {
  value: unknown
  onChange: (number: number | undefined, typed: Typed) => void
  /** Returns why a number is refused. */
  check?: ((number: number) => string | undefined) | undefined
  /** Whether the field may be empty. */
  isOptional?: boolean
  isLate?: boolean
  isQuiet?: boolean
  [attribute: string]: unknown
}

const notation = findNotation()

const format = (value: unknown): string => (typeof value === 'number' ? writeNumber(value, notation) : '')

/** A number field. */
export function NumberInput({ check, isOptional, ...props }: Props) {
  const read = (text: string): { value?: number; problem?: string } => {
    if (isOptional && text.trim() === '') return {}
    const reading = readNumber(text, notation)
    if ('problem' in reading) return reading
    const problem = check?.(reading.number)
    return { value: reading.number, ...(problem !== undefined && { problem }) }
  }
  return <ReadInput {...props} read={read} write={format} />
}
