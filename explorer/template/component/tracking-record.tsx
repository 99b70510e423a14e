import { humanName } from '../../format.ts'
import type { FullTemplate } from '../read.ts'
import { TraitValue } from '../trait-value.tsx'
import './tracking-record.css'

/** A tracking record. Its two traits are its main content. */
export function TrackingRecord({ template }: { template: FullTemplate }) {
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
