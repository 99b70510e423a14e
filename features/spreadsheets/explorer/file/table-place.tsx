import { plural } from '../../../../explorer/format.ts'
import { Select } from '../../../../explorer/ui/inputs.tsx'
import type { TableRow } from '../../tables/table.ts'
import type { Choice, OpenTable } from './open-file.ts'

interface Props {
  table: OpenTable
  /** Reads the file again, in another way. */
  onRead: (choice: Choice) => void
}

interface PlaceProps extends Props {
  isExport: boolean
  /** Whether the user has corrected cells. Reading the file again would lose this. */
  isCorrected: boolean
}

/** Says why what is read stays after corrections. */
export const whyStays = 'To read other rows, open the file again: your corrections are then lost.'

/** Where in the file the table is: its sheet, its header, and whether it has the hidden rows. */
export function TablePlace({ isExport, isCorrected, ...props }: PlaceProps) {
  const { sheets, hidden, first } = props.table
  const hasHeaders = !isExport && first.length > 1
  if (sheets.length <= 1 && hidden === undefined && !hasHeaders) return null
  return (
    <fieldset
      class="place"
      aria-label="What is read"
      disabled={isCorrected}
      title={isCorrected ? whyStays : undefined}
    >
      {sheets.length > 1 && <SheetSelect {...props} />}
      {hidden !== undefined && <HiddenRows hidden={hidden} onRead={props.onRead} />}
      {hasHeaders && <HeaderSelect {...props} />}
    </fieldset>
  )
}

const SheetSelect = ({ table, onRead }: Props) => (
  <label class="sheet across" for="sheet">
    Sheet
    <Select
      id="sheet"
      class="button"
      value={table.sheet ?? ''}
      choices={table.sheets.map(sheet => [sheet, sheet] as const)}
      onChange={sheet => onRead({ sheet, header: undefined, hiddenRows: undefined })}
    />
  </label>
)

interface HiddenProps {
  hidden: NonNullable<OpenTable['hidden']>
  onRead: Props['onRead']
}

const HiddenRows = ({ hidden: { count, isRead }, onRead }: HiddenProps) => (
  <div class="notice warning">
    <p role="status">
      {plural(count, 'hidden row is', 'hidden rows are')} {isRead ? 'read, too.' : 'left out.'}
    </p>
    <label class="button">
      <input
        type="checkbox"
        checked={isRead}
        onChange={event => onRead({ hiddenRows: event.currentTarget.checked, header: undefined })}
      />
      Read hidden rows, too
    </label>
  </div>
)

const HeaderSelect = ({ table: { header, first }, onRead }: Props) => (
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
)

/** Maximum characters of the cells in the name of a row. */
const maxLength = 60

function describeRow({ line, cells }: TableRow): string {
  const text = cells.filter(cell => cell.trim() !== '').join(', ')
  return `Row ${line}: ${text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}`
}
