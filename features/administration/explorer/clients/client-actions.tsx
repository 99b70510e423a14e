import { useState } from 'preact/hooks'
import { finish } from '../../../../explorer/admin/mutation.ts'
import { showSecret } from '../../../../explorer/admin/secret-dialog.tsx'
import { hrefOf, navigate } from '../../../../explorer/route.ts'
import { Confirm } from '../../../../explorer/ui/confirm.tsx'
import { Field } from '../../../../explorer/ui/field.tsx'
import { Select } from '../../../../explorer/ui/inputs.tsx'
import type { OAuthClient } from '../../../../packages/client/schema.ts'
import { secretAdvice } from './clients.tsx'
import { ownClient, ownClientWarning } from './labels.ts'
import { deleteClient, rotateSecret, updateClient } from './write.ts'

/** The actions on a client. Each must be confirmed. */
export function ClientActions({
  client: { id, displayName, isPublic, disabled },
  onChange
}: {
  client: OAuthClient
  onChange: () => void
}) {
  const name = displayName || id
  const own = id === ownClient ? ownClientWarning : undefined
  return (
    <div class="admin-actions across">
      {!isPublic && <Rotate id={id} name={name} onChange={onChange} />}
      <Confirm
        title={disabled ? `Enable ${name}?` : `Disable ${name}?`}
        label={disabled ? 'Enable' : 'Disable'}
        ownWarning={disabled ? undefined : own}
        onConfirm={() => finish(updateClient(id, { disabled: !disabled }), onChange)}
      >
        {disabled
          ? 'The client gets tokens again. Its earlier tokens work again until they expire.'
          : 'The client gets no tokens, and its existing tokens are refused, until somebody enables it.'}
      </Confirm>
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

function Rotate({ id, name, onChange }: { id: string; name: string; onChange: () => void }) {
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
      <Field label="The old secret">
        <Select value={overlap} choices={overlaps} onChange={setOverlap} />
      </Field>
      <p>Choose a time in which you can give the new secret to the client.</p>
    </Confirm>
  )
}
