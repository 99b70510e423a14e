import { Select } from '../../../../explorer/ui/inputs.tsx'
import { mayBeKey } from '../../tables/guess.ts'
import { type Key, keyOf, type Mapping, traitOfKey } from '../../tables/mapping.ts'
import { firstRows } from '../../tables/sample.ts'
import type { OpenTable } from '../file/open-file.ts'

interface Props {
  table: OpenTable
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

/** The select for the key that matches rows with stored templates: a column with a value of its own in most rows. */
export function KeySelect({ table: { names, rows }, mapping, onChange }: Props) {
  const { columns, key } = mapping
  const first = rows.slice(0, firstRows)
  const choices = names.flatMap((name, index): [Key, string][] => {
    const own = keyOf(columns[name]?.to ?? '')
    if (!own) return []
    const isUsual = own === key || traitOfKey(own) === undefined
    return isUsual || mayBeKey(columns[name], index, first) ? [[own, name]] : []
  })
  return (
    <label class="key across" for="key">
      A row is the same product if it has the same
      <Select
        id="key"
        class="button"
        value={key ?? ''}
        choices={[...choices, ['', 'nothing: each row is new']]}
        onChange={chosen => onChange({ ...mapping, key: chosen || null })}
      />
    </label>
  )
}
