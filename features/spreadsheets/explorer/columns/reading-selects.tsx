import { useMemo } from 'preact/hooks'
import { Select } from '../../../../explorer/ui/inputs.tsx'
import { dependsOnNotation, hasForm, listNotations } from '../../notations/guess.ts'
import type { Notation } from '../../notations/normalize.ts'
import { findUnit, splitMeasure } from '../../notations/numbers.ts'
import {
  guessNotationOf,
  listValues,
  listWritten,
  mayLackUnit,
  nameAmount,
  nameTrait
} from '../../tables/guess.ts'
import type { ColumnTarget, Kind } from '../../tables/mapping.ts'
import { firstRows, maxRows } from '../../tables/sample.ts'
import type { OpenTable } from '../file/open-file.ts'

const kindNames: Record<Kind, string> = {
  text: 'Text',
  number: 'Whole number',
  decimal: 'Number',
  money: 'Money',
  date: 'Date',
  link: 'Link',
  picture: 'Picture',
  boolean: 'Yes or no',
  list: 'List',
  value: 'As exported'
}

/** Maximum number of rows that tell whether the notation or the unit of a column matters. */
const maxRowsToRead = 2000

/** The values in the first rows. */
export const firstCells = ({ rows }: OpenTable, index: number): string[] =>
  listValues(rows.slice(0, firstRows), index)

/** Whether a table has rows that are not read for this. */
const isLarge = ({ rows }: OpenTable): boolean => rows.length > maxRowsToRead

interface Props {
  table: OpenTable
  /** The number of cells that the user has corrected in the table. */
  corrections: number
  /** The index of the column. */
  index: number
  name: string
  target: ColumnTarget
  onChange: (target: ColumnTarget) => void
}

/** The selects for how the cells of a column are read. */
export const ReadingSelects = (props: Props) => (
  <>
    <KindSelect {...props} />
    <NotationSelect {...props} />
    {mayLackUnit(props.name, props.target) && <UnitSelect {...props} />}
  </>
)

function KindSelect({ table, index, name, target, onChange }: Props) {
  // A field has a fixed kind.
  if (!/^(document\.|trait:)/.test(target.to)) return null
  const choose = (as: Kind) => {
    const notation = guessNotationOf(as, table.rows.slice(0, maxRows), index)
    // The currency or unit is in the name of the trait, so that its values are numbers.
    const to =
      target.to === `trait:${nameTrait(name)}`
        ? `trait:${nameAmount(name, as, firstCells(table, index))}`
        : target.to
    onChange({ to, as, notation, needsUnit: mayLackUnit(name, { to, as }) })
  }
  return (
    <Select
      class="field kind"
      aria-label={`Kind of ${name}`}
      value={target.as}
      choices={Object.entries(kindNames) as [Kind, string][]}
      onChange={choose}
    />
  )
}

/** The select for the notation of numbers or dates, if it may matter. Without one, cells with two meanings fail. */
function NotationSelect({ table, corrections, index, name, target, onChange }: Props) {
  const cells = useMemo(
    () => listWritten(table.rows.slice(0, maxRowsToRead), index),
    [table, corrections, index]
  )
  const notations = listNotations(target.as).map((notation): [Notation, string] => [notation, notation])
  const mayDepend = isLarge(table) ? notations.length > 0 : dependsOnNotation(target.as, cells)
  if (!target.notation && !mayDepend) return null
  return (
    <Select<Notation | ''>
      class="field kind"
      aria-label={`Notation of ${name}`}
      value={target.notation ?? ''}
      choices={[['', 'Not chosen'], ...notations]}
      onChange={notation => onChange({ ...target, notation: notation || undefined })}
    />
  )
}

/** The select for what the numbers without a unit are, if there may be any: wrong, or in the unit of the trait. */
function UnitSelect({ table, corrections, index, name, target, onChange }: Props) {
  const isPlain = useMemo(
    () =>
      listValues(table.rows.slice(0, maxRowsToRead), index).some(
        text => !splitMeasure(text) && hasForm('decimal', text)
      ),
    [table, corrections, index]
  )
  if (target.needsUnit && !isLarge(table) && !isPlain) return null
  return (
    <Select
      class="field kind"
      aria-label={`Unit of ${name}`}
      value={target.needsUnit ? 'own' : 'same'}
      choices={[
        ['own', 'Each has its unit'],
        ['same', `Without a unit: ${findUnit(target.to)}`]
      ]}
      onChange={unit => onChange({ ...target, needsUnit: unit === 'own' })}
    />
  )
}
