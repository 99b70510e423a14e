import { mayBeKey, rowsToGuess } from '../../tables/guess.ts'
import { type Key, keyOf, type Mapping, traitOfKey } from '../../tables/mapping.ts'
import type { OpenTable } from '../file/open-file.ts'

interface Props {
  table: OpenTable
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

/** The select for the key that matches rows with stored templates: a column with a value of its own in most rows. */
export function KeySelect({ table: { names, rows }, mapping, onChange }: Props) {
  const { columns, key } = mapping
  const first = rows.slice(0, rowsToGuess)
  const choices = names.flatMap((name, index) => {
    const own = keyOf(columns[name]?.to ?? '')
    if (!own) return []
    const isUsual = own === key || traitOfKey(own) === undefined
    return isUsual || mayBeKey(columns[name], index, first) ? [[own, name]] : []
  })
  return (
    <label class="key">
      A row is the same product if it has the same
      <select
        class="button"
        value={key ?? ''}
        onChange={event => onChange({ ...mapping, key: (event.currentTarget.value || null) as Key | null })}
      >
        {choices.map(([own, name]) => (
          <option key={own} value={own}>
            {name}
          </option>
        ))}
        <option value="">nothing: each row is new</option>
      </select>
    </label>
  )
}
