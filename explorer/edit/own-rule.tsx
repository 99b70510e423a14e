import { rule } from '../api.ts'
import { listLabels } from '../rule/rule-criteria.ts'

/** Says which templates the user may read and write; nothing if it is all of them. */
export function OwnRule() {
  if (!rule.value) return null
  const labels = listLabels(rule.value)?.map(label => `“${label}”`)
  return (
    <p class="muted">
      Your account is limited to {labels ? `templates that match: ${labels.join(', ')}` : 'some templates'}.
    </p>
  )
}
