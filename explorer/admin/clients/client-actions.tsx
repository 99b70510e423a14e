import { useState } from 'preact/hooks'
import type { OAuthClient } from '../../../packages/client/schema.ts'
import { go, hrefOf } from '../../place.ts'
import { Ask } from '../ask.tsx'
import { showOnce } from '../once.tsx'
import type { Outcome } from '../problems.ts'
import { secretAdvice } from './add-client.tsx'
import { ownClient, ownClientWarning } from './client-form.tsx'
import { deleteClient, rotateSecret, updateClient } from './write.ts'

interface Props {
  client: OAuthClient
  onChange: () => void
}

/** The actions on a client. Each must be confirmed. */
export function ClientActions({ client: { id, displayName, isPublic, disabled }, onChange }: Props) {
  const name = displayName || id
  const own = id === ownClient ? ownClientWarning : undefined
  const then = async (job: Promise<Outcome<object>>, next: () => void = onChange) => {
    const { problems } = await job
    if (problems.length === 0) next()
    return problems
  }
  return (
    <div class="admin-actions">
      {!isPublic && <Rotate id={id} name={name} onChange={onChange} />}
      {disabled ? (
        <Ask
          title={`Enable ${name}?`}
          opener="Enable"
          verb="Enable"
          onConfirm={() => then(updateClient(id, { disabled: false }))}
        >
          It gets tokens again, and those that it had and that have not expired work again.
        </Ask>
      ) : (
        <Ask
          title={`Disable ${name}?`}
          opener="Disable"
          verb="Disable"
          own={own}
          onConfirm={() => then(updateClient(id, { disabled: true }))}
        >
          It gets no tokens, and those that it has are refused, until somebody enables it.
        </Ask>
      )}
      <Ask
        title={`Delete ${name}?`}
        opener="Delete"
        verb={`Delete ${name}`}
        own={own}
        onConfirm={() => then(deleteClient(id), () => go(hrefOf(['admin', 'clients'])))}
      >
        It is gone for good, with all its tokens. Whoever uses it is logged out of it.
      </Ask>
    </div>
  )
}

const overlaps: [seconds: number, label: string][] = [
  [0, 'ends now'],
  [3600, 'works for 1 hour'],
  [86_400, 'works for 1 day']
]

interface RotateProps {
  id: string
  name: string
  onChange: () => void
}

function Rotate({ id, name, onChange }: RotateProps) {
  const [overlap, setOverlap] = useState(0)
  const rotate = async () => {
    const { problems, result } = await rotateSecret(id, overlap)
    if (problems.length > 0 || !result?.secret) return problems
    showOnce({ title: `The new secret of ${name}`, text: result.secret, advice: secretAdvice })
    onChange()
    return []
  }
  return (
    <Ask title={`Replace the secret of ${name}?`} opener="Replace secret" verb="Replace" onConfirm={rotate}>
      <label class="form-field">
        <span class="label">The old secret</span>
        <select
          class="field"
          value={overlap}
          onChange={event => setOverlap(Number(event.currentTarget.value))}
        >
          {overlaps.map(([seconds, label]) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <p>Choose a time in which you can bring the new one to wherever the client runs.</p>
    </Ask>
  )
}
