import type { Draft } from './draft.ts'
import { Field } from './field.tsx'
import { fieldOf, type Problem } from './problem.ts'

interface Props {
  draft: Draft
  problems: Problem[]
  onChange: (change: Partial<Draft>) => void
}

/** The fields of a template besides its document. */
export function ColumnsForm({ draft, problems, onChange }: Props) {
  const of = (column: string) => ({
    name: column,
    problems: problems.filter(problem => fieldOf(problem) === column)
  })
  const number = (column: 'blockchainId' | 'maxItems') => ({
    class: 'field',
    type: 'number' as const,
    step: 1,
    value: draft[column],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      onChange({ [column]: event.currentTarget.valueAsNumber || 0 })
  })
  return (
    <>
      <div class="columns">
        <Field label="Template name" {...of('name')}>
          <input
            class="field"
            value={draft.name}
            onInput={event => onChange({ name: event.currentTarget.value })}
          />
        </Field>
        <Field label="Component" {...of('componentName')}>
          <input
            class="field"
            list="components"
            value={draft.componentName}
            onInput={event => onChange({ componentName: event.currentTarget.value })}
          />
        </Field>
        <Field label="Blockchain" {...of('blockchainId')}>
          <input {...number('blockchainId')} />
        </Field>
        <Field label="Max items" {...of('maxItems')}>
          <input {...number('maxItems')} min={1} />
        </Field>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.publicProduct}
          onChange={event => onChange({ publicProduct: event.currentTarget.checked })}
        />
        Public: everybody may read the metadata
      </label>
      <datalist id="components">
        <option value="DefaultProduct" />
        <option value="TrackingRecord" />
      </datalist>
    </>
  )
}
