import { humanName } from '../words.ts'
import type { Full, Trait } from './read.ts'
import './traits.css'
import { typeName } from './trait-types.ts'
import { TraitValue } from './trait-value.tsx'

/** The traits in the order of the document. A tracking record has two, which are what one looks for. */
export function Traits({ template }: { template: Full }) {
  const { document, componentName } = template
  if (!document) return <p class="muted">The document is not a JSON object, so it has no traits.</p>
  if (document.attributes.length === 0) return <p class="muted">The document has no traits.</p>
  return (
    <>
      {componentName === 'TrackingRecord' && <Record traits={document.attributes} />}
      <table class="traits">
        <thead class="hidden-visually">
          <tr>
            <th scope="col">Trait</th>
            <th scope="col">Value</th>
            <th scope="col">Type</th>
          </tr>
        </thead>
        <tbody>
          {document.attributes.map((trait, at) => (
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
    </>
  )
}

function Record({ traits }: { traits: Trait[] }) {
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
