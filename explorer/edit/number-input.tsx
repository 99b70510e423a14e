import { useState } from 'preact/hooks'

interface Props {
  value: unknown
  /** Undefined if what is typed is no number. */
  onChange: (number: number | undefined) => void
  [attribute: string]: unknown
}

/** What is typed stays while it is no number, such as the minus of a negative one. */
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
