import { useState } from 'preact/hooks'

interface Props {
  value: unknown
  /** Undefined if the text is not a number. */
  onChange: (number: number | undefined) => void
  [attribute: string]: unknown
}

/** A number field. It keeps a text that is not a number yet, such as a lone minus. */
export function NumberInput({ value, onChange, ...attributes }: Props) {
  const [isPartial, setPartial] = useState(false)
  return (
    <input
      {...attributes}
      type="number"
      value={isPartial ? undefined : String(value)}
      onInput={({ currentTarget: { valueAsNumber: number } }) => {
        setPartial(Number.isNaN(number))
        onChange(Number.isNaN(number) ? undefined : number)
      }}
      onBlur={() => setPartial(false)}
    />
  )
}
