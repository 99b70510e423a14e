import { useState } from 'preact/hooks'
import type { OAuthClient } from '../../../packages/client/schema.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { hrefOf, navigate } from '../../route.ts'
import { finish } from '../mutation.ts'
import { showSecret } from '../secret-dialog.tsx'
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
  return (
    <div class="admin-actions">
      {!isPublic && <Rotate id={id} name={name} onChange={onChange} />}
      {disabled ? (
        <Confirm
          title={`Enable ${name}?`}
          label="Enable"
          confirmLabel="Enable"
          onConfirm={() => finish(updateClient(id, { disabled: false }), onChange)}
        >
          The client gets tokens again. Its earlier tokens work again until they expire.
        </Confirm>
      ) : (
        <Confirm
          title={`Disable ${name}?`}
          label="Disable"
          confirmLabel="Disable"
          ownWarning={own}
          onConfirm={() => finish(updateClient(id, { disabled: true }), onChange)}
        >
          The client gets no tokens, and its existing tokens are refused, until somebody enables it.
        </Confirm>
      )}
      <Confirm
        title={`Delete ${name}?`}
        label="Delete"
        confirmLabel={`Delete ${name}`}
        look="danger"
        ownWarning={own}
        onConfirm={() => finish(deleteClient(id), () => navigate(hrefOf(['admin', 'clients'])))}
      >
        The client is deleted permanently, with all its tokens. Its users are logged out of it.
      </Confirm>
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
    showSecret({ title: `The new secret of ${name}`, text: result.secret, advice: secretAdvice })
    onChange()
    return []
  }
  return (
    <Confirm
      title={`Replace the secret of ${name}?`}
      label="Replace secret"
      confirmLabel="Replace"
      onConfirm={rotate}
    >
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
      <p>Choose a time in which you can give the new secret to the client.</p>
    </Confirm>
  )
}
