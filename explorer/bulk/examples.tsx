import { columns } from '../../domain/columns.ts'
import { chainName } from '../format.ts'
import { formatTrait } from '../price.ts'
import { readField } from '../requests.ts'
import { columnNames } from '../template/parts.ts'
import { useRead } from '../ui/use-read.ts'
import './bulk.css'
import { isTrait, type Row } from './rows.ts'
import type { Target } from './write.ts'

const shown = 3

interface Example {
  id: number
  name: string
  document: { attributes: { traitType: string; text: string }[] } | null
  [column: string]: unknown
}

const query = `query Examples($where: ProductTemplateFilter) { products(first: ${shown}, where: $where) { nodes {
  id ${columnNames.join(' ')} document { attributes { traitType text } } } } }`

/** The effect of the changes on a few of the templates. */
export function Examples({ target, rows }: { target: Target; rows: Row[] }) {
  const where = 'ids' in target ? { id: { in: target.ids.slice(0, shown) } } : target.where
  const { data } = useRead(stop => readField<{ nodes: Example[] }>(query, { where }, stop), [target])
  const examples = data?.nodes ?? []
  if (examples.length === 0 || rows.length === 0) return null
  return (
    <div class="examples">
      <h2>{examples.length === 1 ? 'It becomes' : 'Examples'}</h2>
      <ul class="stack">
        {examples.map(example => (
          <li key={example.id}>
            <strong>{example.name || `Template ${example.id}`}</strong>
            {rows.map(row => (
              <span key={row.key} class="step muted">
                <Step row={row} example={example} />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Step({ row: { what, name, value }, example }: { row: Row; example: Example }) {
  const label = isTrait(what) ? name : columns[what].label
  const before = isTrait(what)
    ? example.document?.attributes.find(({ traitType }) => traitType === name)?.text
    : toText(example[what], what)
  const after = what === 'remove' ? undefined : toText(value, what)
  const format = (text = '') => (isTrait(what) ? formatTrait({ traitType: name, text }) : text)
  // Other digits may look the same: 19.9 and 19.90.
  const show = (text: string) => (format(before) === format(after) ? text : format(text))
  return (
    <ValueChange
      label={label}
      before={before === undefined ? 'absent' : show(before)}
      after={after === undefined ? 'removed' : show(after)}
      isSame={before === after}
    />
  )
}

interface ChangeProps {
  label: string
  before: string
  after: string
  isSame?: boolean
}

/** A value before and after a change. */
export function ValueChange({ label, before, after, isSame = false }: ChangeProps) {
  return isSame ? (
    <>
      {label}: stays {before}
    </>
  ) : (
    <>
      {label}: <del>{before}</del> <span class="hidden-visually">becomes</span> <ins>{after}</ins>
    </>
  )
}

function toText(value: unknown, what: Row['what']): string {
  if (what === 'blockchainId') return chainName(Number(value))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === undefined ? 'no value' : Array.isArray(value) ? value.join(', ') : String(value)
}
