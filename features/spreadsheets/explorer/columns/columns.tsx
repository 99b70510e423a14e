import { nameAmount } from '../../tables/guess.ts'
import { type ColumnTarget, hasColumnOf, type Mapping } from '../../tables/mapping.ts'
import type { OpenTable } from '../file/open-file.ts'
import { Defaults } from './defaults.tsx'
import { firstCells, ReadingSelects } from './reading-selects.tsx'
import { TargetSelect } from './target-select.tsx'

interface Props {
  table: OpenTable
  /** The number of cells that the user has corrected in the table. */
  corrections: number
  mapping: Mapping
  /** The guessed mapping; undefined if the mapping is remembered. */
  guess: Mapping | undefined
  /** The trait types of the store and of the JSON Schema. */
  traits: string[]
  onChange: (mapping: Mapping) => void
}

/** The mapping of the columns, with their first values and the defaults of missing columns. */
export function Columns({ table, corrections, mapping, guess, traits, onChange }: Props) {
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
                    <ReadingSelects
                      {...{ table, corrections, index, name, target }}
                      onChange={next => change(name, next)}
                    />
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
