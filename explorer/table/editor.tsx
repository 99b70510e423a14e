import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { TraitValue } from '../edit/value-input.tsx'
import { Select } from '../ui/inputs.tsx'
import type { Cells, Editing } from './cells.ts'
import './editor.css'
import { readText, wordsOf, writeValue } from './values.ts'

interface Props {
  editing: Editing
  cells: Cells
}

/** The editor of a cell, with its problems. */
export function Editor({ editing, cells }: Props) {
  const { column, problems } = editing
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const isWrong = problems.length > 0
  const find = () => frame.current?.querySelector<HTMLInputElement>('input, textarea, select')
  useLayoutEffect(() => {
    const field = find()
    if (field?.matches('input') || (editing.isTyped && field?.matches('textarea'))) field.select()
  }, [])
  useLayoutEffect(() => {
    find()?.focus()
    const shown = frame.current?.querySelector('.cell-problem:not([hidden])') ?? find()
    shown?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [isWrong])
  const [isCovered, setCovered] = useState(false)
  // Below the names, the problem would be over the name of another row.
  useEffect(() => {
    const check = () => {
      const { left, bottom } = frame.current?.getBoundingClientRect() ?? { left: 0, bottom: 0 }
      setCovered(!frame.current?.contains(document.elementFromPoint(left + 2, bottom - 2)))
    }
    document.addEventListener('scroll', check, true)
    return () => document.removeEventListener('scroll', check, true)
  }, [])
  const attributes = {
    'aria-label': column.label,
    'aria-invalid': isWrong || undefined,
    'aria-describedby': isWrong ? id : undefined,
    spellcheck: false
  }
  // Saves when the focus leaves the cell, but not when the user switches windows.
  const leave = (event: FocusEvent) => {
    const isWithin = frame.current?.contains(event.relatedTarget as Node | null)
    if (!isWithin && document.hasFocus() && !isWrong) cells.commit()
  }
  return (
    <div ref={frame} class="cell-editor" onFocusOut={leave}>
      <Field editing={editing} cells={cells} attributes={attributes} />
      {isWrong && (
        <div id={id} class="cell-problem problem card" role="alert" hidden={isCovered}>
          {problems.join('; ')}
        </div>
      )}
    </div>
  )
}

function Field({ editing, cells, attributes }: Props & { attributes: object }) {
  const { kind, value, column } = editing
  if (column.form && kind !== 'boolean') return <FormInput {...{ editing, cells, attributes }} />
  if (kind !== 'boolean')
    return (
      <TraitValue
        attributes={{
          ...attributes,
          ...(column.key === 'description' && { isLong: true }),
          ...(kind === 'number' && { isQuiet: true })
        }}
        kind={kind}
        value={value ?? ''}
        onChange={(next, typed) => cells.change(next, typed)}
      />
    )
  const [yes, no] = wordsOf(column)
  return (
    <Select
      {...attributes}
      value={String(value ?? '')}
      choices={[...(value === undefined ? [['', '–'] as const] : []), ['true', yes], ['false', no]]}
      onChange={next => cells.change(next === 'true')}
    />
  )
}

/** The input of a column with a form. It keeps the text that the user types, whatever the text is. */
function FormInput({ editing: { column, kind, value }, cells, attributes }: Props & { attributes: object }) {
  const [text, setText] = useState(writeValue(value, column))
  const type = (text: string) => {
    setText(text)
    const reading = readText(text, column, kind)
    if ('value' in reading) cells.change(reading.value)
    else cells.change(undefined, { text, problem: reading.problem })
  }
  return (
    <input
      class="field"
      autocomplete="off"
      {...attributes}
      value={text}
      onInput={event => type(event.currentTarget.value)}
    />
  )
}
