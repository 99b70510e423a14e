import { columns } from '../../domain/columns.ts'
import { mayPublish } from '../api.ts'
import { chainName, chains } from '../format.ts'
import { NumberInput } from '../numbers/number-input.tsx'
import { type ColumnName, columnNames } from '../template/parts.ts'
import { Field } from '../ui/field.tsx'
import { Check, TextInput } from '../ui/inputs.tsx'
import type { Draft } from './draft.ts'
import { fieldOf, type Problem } from './problem.ts'
import { changeSharedField, isSharedField, valueInDocument } from './shared-fields.ts'

interface Props {
  draft: Draft
  problems: Problem[]
  onChange: (change: Partial<Draft>) => void
}

/** The columns with their own form field, which shows their problems. */
export const fieldColumns = columnNames.filter(column => column !== 'publicProduct')

/** The fields of a template besides its document. */
export function ColumnsForm({ draft, problems, onChange }: Props) {
  return (
    <>
      <div class="columns">
        {fieldColumns.map(column => (
          <Field
            key={column}
            name={column}
            label={columns[column].label}
            hint={describe(draft, column)}
            problems={problems.filter(problem => fieldOf(problem) === column)}
          >
            {columns[column].type === 'integer' ? (
              <NumberInput
                list={column === 'blockchainId' ? 'chains' : undefined}
                value={draft[column]}
                onChange={next => next !== undefined && onChange({ [column]: next })}
              />
            ) : (
              <TextInput
                list={column === 'componentName' ? 'components' : undefined}
                value={draft[column] as string}
                onChange={text => onChange(changeText(draft, column, text))}
              />
            )}
          </Field>
        ))}
      </div>
      <Check
        checked={draft.publicProduct}
        disabled={!mayChangePublic(draft)}
        onChange={publicProduct => onChange({ publicProduct })}
      >
        Public: everybody may read the metadata
        {!mayPublish() && <span class="muted">Only a publisher can change this.</span>}
      </Check>
      <datalist id="chains">
        {Array.from(chains, ([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <datalist id="components">
        <option value="DefaultProduct" />
        <option value="TrackingRecord" />
      </datalist>
    </>
  )
}

/** An editor may restore `publicProduct` in a draft that a publisher changed. */
const mayChangePublic = (draft: Draft): boolean =>
  mayPublish() || draft.publicProduct !== (draft.base?.publicProduct ?? false)

const changeText = (draft: Draft, column: ColumnName, text: string): Partial<Draft> =>
  isSharedField(column) ? changeSharedField(draft, column, text) : { [column]: text }

function describe(draft: Draft, column: ColumnName): string | undefined {
  if (column === 'blockchainId') return chainName(draft.blockchainId)
  const value = isSharedField(column) ? valueInDocument(draft.data, column) : undefined
  if (value === undefined || value === draft[column]) return undefined
  return `Differs on the chain: ${value === '' ? 'empty there' : `“${value}”`}. See “Advanced”.`
}
