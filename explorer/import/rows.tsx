import { useState } from 'preact/hooks'
import { count, plural } from '../words.ts'
import type { Row } from './preview.ts'

const states: Row['state'][] = ['new', 'changed', 'unchanged', 'wrong']
const urgency: Row['state'][] = ['wrong', 'changed', 'new', 'unchanged']
/** Rows that are shown. */
const mostRows = 500
/** As many as the service takes at once by default. */
const mostTemplates = 1000

interface Props {
  rows: Row[]
  mayImport: boolean
  onImport: (mode: 'KEEP' | 'REPLACE') => void
}

/** What will be new, changed, unchanged and wrong, row by row. Those that need a look come first. */
export function Rows({ rows, mayImport, onImport }: Props) {
  const [mode, setMode] = useState<'KEEP' | 'REPLACE'>('REPLACE')
  const numbers = new Map(states.map(state => [state, rows.filter(row => row.state === state).length]))
  const wrong = numbers.get('wrong') ?? 0
  const writes = (numbers.get('new') ?? 0) + (mode === 'REPLACE' ? (numbers.get('changed') ?? 0) : 0)
  const reason = !mayImport
    ? 'Your login may read, not change.'
    : wrong > 0
      ? 'Correct the file first: all templates are imported, or none.'
      : rows.length > mostTemplates
        ? `More than ${count(mostTemplates)} templates: use the command product-templates import.`
        : writes === 0
          ? 'There is nothing to import.'
          : ''
  const sorted = [...rows].sort((a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state))
  return (
    <>
      <p class="counts" role="status">
        {states.map(state => (
          <span key={state} class="pill">
            {count(numbers.get(state) ?? 0)} {state}
          </span>
        ))}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="rows card" tabIndex={0} aria-label="Templates of the file">
        <table>
          <thead>
            <tr>
              <th scope="col">No.</th>
              <th scope="col">Name</th>
              <th scope="col">What happens</th>
              <th scope="col">What differs</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, mostRows).map(({ place, name, state, details }) => (
              <tr key={place}>
                <td>{place}</td>
                <td>{name}</td>
                <td class={state}>{state}</td>
                <td class={state}>{details}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div class="actions">
        <button type="button" class="button primary" disabled={reason !== ''} onClick={() => onImport(mode)}>
          Import {plural(writes, 'template')}
        </button>
        {(numbers.get('changed') ?? 0) > 0 && (
          <select
            class="button"
            aria-label="Templates that exist"
            value={mode}
            onChange={event => setMode(event.currentTarget.value as typeof mode)}
          >
            <option value="REPLACE">Replace those that exist, as new revisions</option>
            <option value="KEEP">Keep those that exist</option>
          </select>
        )}
        <span class="muted">{reason}</span>
      </div>
    </>
  )
}
