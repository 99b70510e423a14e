import { columns as fields } from '../../../../domain/columns.ts'
import { mayPublish } from '../../../../explorer/api.ts'
import { checkFields } from '../../../../explorer/edit/check-fields.ts'
import { NumberInput } from '../../../../explorer/numbers/number-input.tsx'
import { Field } from '../../../../explorer/ui/field.tsx'
import type { Mapping } from '../../tables/mapping.ts'

/** The default values of fields without a column. */
export function Defaults({ mapping, onChange }: { mapping: Mapping; onChange: (mapping: Mapping) => void }) {
  const { columns, defaults } = mapping
  const isMapped = (field: string) => Object.values(columns).some(target => target?.to === field)
  const set = (field: string, value: unknown) =>
    onChange({ ...mapping, defaults: { ...defaults, [field]: value } })
  return (
    <tr>
      <th scope="row" class="muted">
        not in the file
      </th>
      <td colSpan={2}>
        <div class="defaults across">
          {!isMapped('componentName') && (
            <label>
              {fields.componentName.label}
              <input
                class="field"
                value={defaults.componentName ?? ''}
                onChange={event => set('componentName', event.currentTarget.value)}
              />
            </label>
          )}
          {(['blockchainId', 'maxItems'] as const)
            .filter(field => !isMapped(field))
            .map(field => (
              <Field key={field} name={field} label={fields[field].label} problems={[]}>
                <NumberInput
                  isLate
                  check={number => checkFields([field], { [field]: number })[0]?.message}
                  value={defaults[field]}
                  onChange={number => set(field, number)}
                />
              </Field>
            ))}
          {!isMapped('publicProduct') && (
            <label>
              {fields.publicProduct.label}
              <select
                class="field"
                value={String(defaults.publicProduct ?? false)}
                onChange={event => set('publicProduct', event.currentTarget.value === 'true')}
              >
                <option value="false">Not public</option>
                <option value="true" disabled={!mayPublish()}>
                  Public
                </option>
              </select>
            </label>
          )}
        </div>
        {!isMapped('publicProduct') && (
          <p class="muted hint">
            New templates get these values. Wallets and marketplaces read only templates that are public.
            {!mayPublish() && ' Only a publisher can make them public.'}
          </p>
        )}
      </td>
    </tr>
  )
}
