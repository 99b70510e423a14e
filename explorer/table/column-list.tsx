import { useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Check, TextInput } from '../ui/inputs.tsx'
import { moveColumn, resetColumns, shownColumns, toggleColumn, traitColumns } from './chosen-columns.ts'
import './views.css'
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
    <div class="column-list stack">
      {number > maxColumnsWithoutSearch && (
        <TextInput
          type="search"
          aria-label="Search columns"
          placeholder="Search columns"
          value={search}
          onChange={setSearch}
        />
      )}
      {search === '' && <Order columns={shownColumns.value.slice(1)} />}
      <Choices title="Fields" columns={find([nameColumn, ...fieldColumns])} />
      <Choices title="Traits" columns={find(traitColumns.value)} />
      <Button onClick={resetColumns}>Reset columns</Button>
    </div>
  )
}

/** The shown columns, to move each. */
function Order({ columns }: { columns: TableColumn[] }) {
  return (
    <fieldset>
      <legend class="caption">Order</legend>
      <ol>
        {columns.map(({ key, label }, index) => (
          <li key={key} class="place across">
            <span>{label}</span>
            {[-1, 1].map(step => (
              <Button
                key={step}
                look="plain"
                aria-label={`Move ${label} ${step < 0 ? 'left' : 'right'}`}
                aria-disabled={columns[index + step] === undefined}
                onClick={() => moveColumn(key, step)}
              >
                {step < 0 ? '←' : '→'}
              </Button>
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
      <legend class="caption">{title}</legend>
      {columns.map(column => (
        <Check
          key={column.key}
          checked={isShown(column)}
          disabled={column.key === nameColumn.key}
          onChange={() => toggleColumn(column.key)}
        >
          {column.label}
        </Check>
      ))}
    </fieldset>
  )
}
