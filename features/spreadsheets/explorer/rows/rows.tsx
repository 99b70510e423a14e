import { useState } from 'preact/hooks'
import { formatCount, formatText } from '../../../../explorer/format.ts'
import { readText } from '../../tables/cell.ts'
import { type MappedColumn, mapColumns } from '../../tables/mapping.ts'
import type { TableRow } from '../../tables/table.ts'
import type { OpenTable } from '../file/open-file.ts'
import { CellField } from './cell-field.tsx'
import { textsOf, type Verdict } from './judge.ts'
import { type Group, maxShownRows, type Preview } from './preview.ts'

interface Props {
  preview: Preview
  /** Undefined if the file is not a table. */
  table: OpenTable | undefined
  /** Corrects a cell. `places` are the rows that stay visible. */
  onCorrect: (row: TableRow, index: number, text: string, places: Iterable<number>) => void
}

const groups: Group[] = ['wrong', 'forbidden', 'odd', 'changed', 'new', 'unchanged']
const groupNames: Partial<Record<Group, string>> = {
  wrong: 'to correct',
  forbidden: 'you may not write',
  odd: 'to check'
}
/** Groups that most files do not have. */
const rare: Group[] = ['forbidden', 'odd']

/** The effect on each row. Rows with problems come first; their wrong cells can be corrected. */
export function Rows({ preview, table, onCorrect }: Props) {
  const { counts, first, mapping } = preview
  const [only, setOnly] = useState<Group>()
  const columns = table && mapping ? mapColumns(table.names, mapping) : []
  /** After a correction, the visible rows and their fields stay, until the user chooses a group. */
  const [held, setHeld] = useState<Held>()
  const shown = held
    ? findHeld(held, preview)
    : [...new Set(only ? first[only] : groups.flatMap(group => first[group]))]
  const hold = (): Iterable<number> => {
    const next: Held = new Map(
      shown
        .slice(0, maxShownRows)
        .map(verdict => [verdict.place, [...toCorrect(verdict), ...(held?.get(verdict.place) ?? [])]])
    )
    setHeld(next)
    return next.keys()
  }
  const offered = groups.filter(group => !rare.includes(group) || counts[group] > 0 || only === group)
  return (
    <>
      <fieldset class="counts" aria-label="What happens">
        {offered.map(group => (
          <button
            key={group}
            type="button"
            class={`pill ${group}`}
            aria-pressed={only === group}
            disabled={counts[group] === 0 && only !== group}
            onClick={() => {
              setHeld(undefined)
              setOnly(only === group ? undefined : group)
            }}
          >
            {formatCount(counts[group])} {groupNames[group] ?? group}
          </button>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="rows card" tabIndex={0} aria-label="Rows of the file">
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">What happens</th>
              {columns.length === 0 && <th scope="col">Name</th>}
              {columns.map(({ header }) => (
                <th key={header} scope="col">
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, maxShownRows).map(verdict => (
              <RowOf
                key={verdict.place}
                verdict={verdict}
                columns={columns}
                fields={[...toCorrect(verdict), ...(held?.get(verdict.place) ?? [])]}
                onCorrect={(row, index, text) => onCorrect(row, index, text, hold())}
              />
            ))}
          </tbody>
        </table>
      </section>
      {shown.length > maxShownRows && (
        <p class="muted">The first {formatCount(maxShownRows)} rows are shown.</p>
      )}
    </>
  )
}

/** The rows that stay visible, by place, with the columns that have fields. */
type Held = Map<number, string[]>

/** Returns the verdicts of the rows that stay visible. */
function findHeld(held: Held, { first, kept }: Preview): Verdict[] {
  const found = [...Object.values(first).flat(), ...kept.values()]
  const verdicts = new Map(found.map(verdict => [verdict.place, verdict]))
  return [...held.keys()].flatMap(place => verdicts.get(place) ?? [])
}

/** The columns whose cells are wrong or odd. */
const toCorrect = ({ columns, odd }: Verdict): string[] => [...columns, ...odd.map(({ column }) => column)]

const showText = (cell = ''): string => formatText(readText(cell) ?? '')

interface RowProps {
  verdict: Verdict
  columns: MappedColumn[]
  /** The columns whose cells are editable. */
  fields: string[]
  onCorrect: (row: TableRow, index: number, text: string) => void
}

function RowOf({ verdict, columns, fields, onCorrect }: RowProps) {
  const { place, name, state, details, odd, row } = verdict
  const texts = state === 'changed' ? textsOf(verdict, columns) : undefined
  const editable = columns.filter(({ header }) => fields.includes(header))
  return (
    <tr class={state}>
      <td class="number">{place}</td>
      <td class="what">
        {state === 'wrong' ? details : state === 'forbidden' ? `left out: ${details}` : state}
        {state === 'changed' && columns.length === 0 && `: ${details}`}
        {odd.map(({ column, message }) => (
          <span key={`${column} ${message}`} class="odd">
            {column}: {message}
          </span>
        ))}
        {/* Beside the reason: their columns may be out of sight. */}
        {editable.map(({ header, index }) => (
          <CellField
            key={header}
            label={`${header} of row ${place}`}
            shownLabel={editable.length > 1 ? header : ''}
            isWrong={verdict.columns.includes(header)}
            isDone={!toCorrect(verdict).includes(header)}
            text={row?.cells[index] ?? ''}
            onCorrect={corrected => row && onCorrect(row, index, corrected)}
          />
        ))}
      </td>
      {columns.length === 0 && <td>{name}</td>}
      {columns.map((column, at) => {
        const text = row?.cells[column.index] ?? ''
        const [before, after] = [texts?.before[at], texts?.after[at]]
        return (
          <td key={column.header}>
            {before === after ? (
              <span class="cell" title={text}>
                {text}
              </span>
            ) : (
              <span class="cell" title={showText(after)}>
                {before !== '' && <del>{showText(before)}</del>} <ins>{showText(after)}</ins>
              </span>
            )}
          </td>
        )
      })}
    </tr>
  )
}
