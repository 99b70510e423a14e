import { useState } from 'preact/hooks'
import { moveColumn, resetColumns, shownColumns, toggleColumn, traitColumns } from './chosen-columns.ts'
import './column-list.css'
import { fieldColumns, nameColumn, type TableColumn } from './columns.tsx'

/** The maximum number of columns without a search field. */
const maxColumnsWithoutSearch = 10

/** The choice of columns: fields, then traits. */
export function ColumnList() {
  const [search, setSearch] = useState('')
  const number = 1 + fieldColumns.length + traitColumns.value.length
  const find = (columns: TableColumn[]) =>
    columns.filter(({ label, key }) => `${label} ${key}`.toLowerCase().includes(search.trim().toLowerCase()))
  return (
    <div class="column-list">
      {number > maxColumnsWithoutSearch && (
        <input
          class="field"
          type="search"
          aria-label="Search columns"
          placeholder="Search columns"
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
        />
      )}
      {search === '' && <Order columns={shownColumns.value.slice(1)} />}
      <Choices title="Fields" columns={find([nameColumn, ...fieldColumns])} />
      <Choices title="Traits" columns={find(traitColumns.value)} />
      <button type="button" class="button" onClick={resetColumns}>
        Reset columns
      </button>
    </div>
  )
}

/** The shown columns, to move each. */
function Order({ columns }: { columns: TableColumn[] }) {
  return (
    <fieldset>
      <legend>Order</legend>
      <ol>
        {columns.map(({ key, label }, index) => (
          <li key={key} class="place">
            <span>{label}</span>
            {[-1, 1].map(step => (
              <button
                key={step}
                type="button"
                class="button plain"
                aria-label={`Move ${label} ${step < 0 ? 'left' : 'right'}`}
                aria-disabled={columns[index + step] === undefined}
                onClick={() => moveColumn(key, step)}
              >
                {step < 0 ? '←' : '→'}
              </button>
            ))}
          </li>
        ))}
      </ol>
    </fieldset>
  )
}

function Choices({ title, columns }: { title: string; columns: TableColumn[] }) {
  if (columns.length === 0) return null
  const isShown = ({ key }: TableColumn) => shownColumns.value.some(column => column.key === key)
  return (
    <fieldset>
      <legend>{title}</legend>
      {columns.map(column => (
        <label key={column.key} class="check">
          <input
            type="checkbox"
            checked={isShown(column)}
            disabled={column.key === nameColumn.key}
            onChange={() => toggleColumn(column.key)}
          />
          {column.label}
        </label>
      ))}
    </fieldset>
  )
}
