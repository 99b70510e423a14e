import { type Column, fieldNames, columns as fields } from '../../../../domain/columns.ts'
import { askForUnit, nameTrait } from '../../tables/guess.ts'
import type { ColumnTarget, Kind } from '../../tables/mapping.ts'

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

/** The select for what a column becomes. */
export function TargetSelect({
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
  const others = [target?.to, `trait:${nameTrait(name)}`, `trait:${named}`].filter(
    to => to !== undefined && !known.has(to)
  ) as string[]
  const choose = (to: string) => {
    const as = kindOf(to, target)
    onChange(to === '' ? null : askForUnit(name, { ...(as === target?.as && target), to, as }))
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
