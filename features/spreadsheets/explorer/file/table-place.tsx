import { plural } from '../../../../explorer/format.ts'
import { Select } from '../../../../explorer/ui/inputs.tsx'
import type { TableRow } from '../../tables/table.ts'
import type { Choice, OpenTable } from './open-file.ts'

interface Props {
  table: OpenTable
  isExport: boolean
  /** Reads the file again, in another way. */
  onRead: (choice: Choice) => void
}

/** Where in the file the table is: its sheet, its header, and whether it has the hidden rows. */
export function TablePlace({ table, isExport, onRead }: Props) {
  const { sheets, sheet = '', hidden, header, first } = table
  return (
    <>
      {sheets.length > 1 && (
        <label class="sheet across" for="sheet">
          Sheet
          <Select
            id="sheet"
            class="button"
            value={sheet}
            choices={sheets.map(sheet => [sheet, sheet] as const)}
            onChange={sheet => onRead({ sheet, header: undefined, hiddenRows: undefined })}
          />
        </label>
      )}
      {hidden !== undefined && hidden.count > 0 && (
        <div class="notice warning">
          <p role="status">
            {plural(hidden.count, 'hidden row is', 'hidden rows are')}{' '}
            {hidden.isRead ? 'read, too.' : 'left out.'}
          </p>
          <label class="button">
            <input
              type="checkbox"
              checked={hidden.isRead}
              onChange={event => onRead({ hiddenRows: event.currentTarget.checked, header: undefined })}
            />
            Read hidden rows, too
          </label>
        </div>
      )}
      {!isExport && first.length > 1 && (
        <label class="sheet across" for="header">
          Header
          <Select
            id="header"
            class="button"
            value={String(header.line)}
            choices={first.map(row => [String(row.line), describeRow(row)] as const)}
            onChange={line => onRead({ header: Number(line) })}
          />
          {header.line !== first[0]?.line && <span class="muted">The rows above it are left out.</span>}
        </label>
      )}
    </>
  )
}

/** Maximum characters of the cells in the name of a row. */
const maxLength = 60

function describeRow({ line, cells }: TableRow): string {
  const text = cells.filter(cell => cell.trim() !== '').join(', ')
  return `Row ${line}: ${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}`
}
