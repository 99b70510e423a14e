import { hasColumnOf, type Key, keys, type Mapping } from '../tables/mapping.ts'

const keyNames: Record<Key, string> = { id: 'Id', productId: 'Product id', name: 'Name' }

/** The select for the key that matches rows with stored templates. */
export function KeySelect({ mapping, onChange }: { mapping: Mapping; onChange: (mapping: Mapping) => void }) {
  return (
    <label class="key">
      A row is the same product if it has the same
      <select
        class="button"
        value={mapping.key ?? ''}
        onChange={event => onChange({ ...mapping, key: (event.currentTarget.value || null) as Key | null })}
      >
        {keys.map(key => (
          <option key={key} value={key} disabled={!hasColumnOf(key, mapping.columns)}>
            {keyNames[key]}
          </option>
        ))}
        <option value="">nothing: each row is new</option>
      </select>
    </label>
  )
}
