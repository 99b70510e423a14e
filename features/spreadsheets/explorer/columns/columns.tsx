import { useMemo } from 'preact/hooks'
import { type Column, fieldNames, columns as fields } from '../../../../domain/columns.ts'
import { dependsOnNotation, listNotations } from '../../notations/guess.ts'
import type { Notation } from '../../notations/normalize.ts'
import { guessNotationOf, listValues, nameAmount, rowsToGuess } from '../../tables/guess.ts'
import { type ColumnTarget, hasColumnOf, type Kind, type Mapping } from '../../tables/mapping.ts'
import type { OpenTable } from '../file/open-file.ts'
import { Defaults } from './defaults.tsx'

interface Props {
  table: OpenTable
  mapping: Mapping
  /** The guessed mapping; undefined if the mapping is remembered. */
  guess: Mapping | undefined
  /** The trait types of the store and of the JSON Schema. */
  traits: string[]
  onChange: (mapping: Mapping) => void
}

/** The mapping of the columns, with their first values and the defaults of missing columns. */
export function Columns({ table, mapping, guess, traits, onChange }: Props) {
  const change = (name: string, target: ColumnTarget | null) => {
    const columns = { ...mapping.columns, [name]: target }
    const { key } = mapping
    onChange({ ...mapping, columns, key: key && hasColumnOf(key, columns) ? key : null })
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="card mapping" tabIndex={0} aria-label="Columns of the file">
      <table>
        <thead>
          <tr>
            <th scope="col">Column of the file</th>
            <th scope="col">becomes</th>
            <th scope="col">first values</th>
          </tr>
        </thead>
        <tbody>
          {table.names.map((name, index) => {
            const target = mapping.columns[name] ?? null
            const isGuessed = guess !== undefined && guess.columns[name] === mapping.columns[name]
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="becomes">
                  <TargetSelect
                    name={name}
                    target={target}
                    named={target ? nameAmount(name, target.as, firstCells(table, index)) : name}
                    traits={traits}
                    onChange={next => change(name, next)}
                  />
                  {target && (
                    <>
                      <KindSelect {...{ table, index, name, target }} onChange={next => change(name, next)} />
                      <NotationSelect
                        {...{ table, index, name, target }}
                        onChange={next => change(name, next)}
                      />
                    </>
                  )}
                </td>
                <td class="muted values">
                  {firstValues(table, index).map((value, at, all) => (
                    <span key={value}>
                      {value}
                      {at < all.length - 1 && ' ·'}
                    </span>
                  ))}
                  {isGuessed && target && <small>{noteOf(target, traits)}</small>}
                </td>
              </tr>
            )
          })}
          <Defaults mapping={mapping} onChange={onChange} />
        </tbody>
      </table>
    </section>
  )
}

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

const noteOf = ({ to }: ColumnTarget, traits: string[]): string =>
  to.startsWith('trait:') && !traits.includes(to.slice('trait:'.length)) ? 'new trait' : 'guessed'

function firstValues({ rows }: OpenTable, index: number): string[] {
  const values = new Set<string>()
  for (const { cells } of rows) {
    const value = cells[index]?.trim()
    if (value) values.add(value.length > 40 ? `${value.slice(0, 40)}…` : value)
    if (values.size === 3) break
  }
  return values.size > 0 ? [...values] : ['–']
}

/** The kinds of the fields that a column may become, by their types. */
const kindOfType: Partial<Record<Column['type'], Kind>> = {
  integer: 'number',
  text: 'text',
  boolean: 'boolean'
}
const fieldTargets = fieldNames.filter(field => kindOfType[fields[field].type])
const documentLabels: Record<string, string> = {
  productId: 'Product id',
  description: 'Description',
  image: 'Image',
  external_url: 'External URL',
  name: 'Name in the document',
  component: 'Component in the document'
}
const documentTargets = Object.keys(documentLabels)

/** Maximum number of cells of a column that tell whether its notation matters. */
const maxCellsToRead = 2000

/** The values in the first rows. */
const firstCells = ({ rows }: OpenTable, index: number, count = rowsToGuess): string[] =>
  listValues(rows.slice(0, count), index)

function TargetSelect({
  name,
  named,
  target,
  traits,
  onChange
}: {
  name: string
  /** The name of a new trait, with the currency or unit of its values. */
  named: string
  target: ColumnTarget | null
  traits: string[]
  onChange: (target: ColumnTarget | null) => void
}) {
  const trait = (type: string) => <option key={type} value={`trait:${type}`}>{`Trait “${type}”`}</option>
  const known = new Set<string>([
    ...fieldTargets,
    ...documentTargets.map(key => `document.${key}`),
    ...traits.map(type => `trait:${type}`)
  ])
  const others = [target?.to, `trait:${name}`, `trait:${named}`].filter(
    to => to !== undefined && !known.has(to)
  ) as string[]
  const choose = (to: string) => {
    const as = kindOf(to, target)
    onChange(to === '' ? null : { ...(as === target?.as && target), to, as })
  }
  return (
    <select
      class={`field ${target ? '' : 'left-out'}`}
      aria-label={`What ${name} becomes`}
      value={target?.to ?? ''}
      onChange={event => choose(event.currentTarget.value)}
    >
      <option value="">Leave out</option>
      <optgroup label="Template">
        {fieldTargets.map(field => (
          <option key={field} value={field}>
            {fields[field].label}
          </option>
        ))}
      </optgroup>
      <optgroup label="Document">
        {documentTargets.map(key => (
          <option key={key} value={`document.${key}`}>
            {documentLabels[key]}
          </option>
        ))}
      </optgroup>
      <optgroup label="New">
        {[...new Set(others)].map(to =>
          to.startsWith('trait:') ? (
            trait(to.slice('trait:'.length))
          ) : (
            <option key={to} value={to}>
              {to}
            </option>
          )
        )}
      </optgroup>
      <optgroup label="Traits">{traits.map(trait)}</optgroup>
    </select>
  )
}

/** Returns the kind of a target. A field has a fixed kind; other targets keep the former kind. */
function kindOf(to: string, former: ColumnTarget | null): Kind {
  const field = fieldTargets.find(field => field === to)
  return (field && kindOfType[fields[field].type]) ?? former?.as ?? 'text'
}

interface SelectProps {
  table: OpenTable
  /** The index of the column. */
  index: number
  name: string
  target: ColumnTarget
  onChange: (target: ColumnTarget) => void
}

function KindSelect({ table, index, name, target, onChange }: SelectProps) {
  // A field has a fixed kind.
  if (!/^(document\.|trait:)/.test(target.to)) return null
  const choose = (as: Kind) => {
    const notation = guessNotationOf(as, table.rows.slice(0, rowsToGuess), index)
    // The currency or unit is in the name of the trait, so that its values are numbers.
    const to =
      target.to === `trait:${name}` ? `trait:${nameAmount(name, as, firstCells(table, index))}` : target.to
    onChange({ to, as, notation })
  }
  return (
    <select
      class="field kind"
      aria-label={`Kind of ${name}`}
      value={target.as}
      onChange={event => choose(event.currentTarget.value as Kind)}
    >
      {Object.entries(kindNames).map(([kind, text]) => (
        <option key={kind} value={kind}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** The select for the notation of numbers or dates, if it matters. Without one, cells with two meanings are wrong. */
function NotationSelect({ table, index, name, target, onChange }: SelectProps) {
  const notations = listNotations(target.as)
  const cells = useMemo(() => firstCells(table, index, maxCellsToRead), [table, index])
  if (!target.notation && !dependsOnNotation(target.as, cells)) return null
  return (
    <select
      class="field kind"
      aria-label={`Notation of ${name}`}
      value={target.notation ?? ''}
      onChange={event =>
        onChange({ ...target, notation: (event.currentTarget.value || undefined) as Notation | undefined })
      }
    >
      <option value="">Not chosen</option>
      {notations.map(notation => (
        <option key={notation}>{notation}</option>
      ))}
    </select>
  )
}
