import type { FunctionComponent } from 'preact'
import { humanName } from '../format.ts'
import { Product } from './product.tsx'
import type { FullTemplate, Trait } from './read.ts'
import { TraitValue, typeName } from './trait-value.tsx'
import './traits.css'

/** The component's view of the item, then the traits in the order of the document. */
export function Traits({ template }: { template: FullTemplate }) {
  const { document } = template
  if (!document) return <p class="muted">The document is not a JSON object, so it has no traits.</p>
  return (
    <>
      <ComponentView template={template} />
      <TraitTable traits={document.attributes} />
    </>
  )
}

function TraitTable({ traits }: { traits: Trait[] }) {
  if (traits.length === 0) return <p class="muted">The document has no traits.</p>
  return (
    <table class="lines traits">
      <thead class="hidden-visually">
        <tr>
          <th scope="col">Trait</th>
          <th scope="col">Value</th>
          <th scope="col">Type</th>
        </tr>
      </thead>
      <tbody>
        {traits.map((trait, at) => (
          <tr key={at}>
            <th scope="row">{trait.traitType}</th>
            <td>
              <TraitValue trait={trait} />
            </td>
            <td class="type">{typeName(trait)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const views = new Map<string, FunctionComponent<{ template: FullTemplate }>>([
  ['DefaultProduct', Product],
  ['TrackingRecord', TrackingRecord]
])

/** The component's view of the item; nothing for an unknown component, because the traits follow anyway. */
function ComponentView({ template }: { template: FullTemplate }) {
  const View = views.get(template.componentName)
  return View ? <View template={template} /> : null
}

/** A tracking record. Its two traits are its main content. */
function TrackingRecord({ template }: { template: FullTemplate }) {
  const traits = template.document?.attributes ?? []
  if (traits.length === 0) return null
  return (
    <dl class="record card">
      {traits.map((trait, at) => (
        <div key={at}>
          <dt>{humanName(trait.traitType)}</dt>
          <dd>
            <TraitValue trait={trait} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
