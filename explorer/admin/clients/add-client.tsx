import { useState } from 'preact/hooks'
import { publicGrantTypes } from '../../../domain/rights.ts'
import { toLines } from '../../../runtime/lists.ts'
import { hrefOf, navigate } from '../../route.ts'
import { DialogForm } from '../dialog-form.tsx'
import { showSecret } from '../secret-dialog.tsx'
import { Check, ClientFields, type ClientInput } from './client-fields.tsx'
import { addClient } from './write.ts'

const emptyClient: ClientInput & { id: string; isPublic: boolean } = {
  id: '',
  isPublic: false,
  displayName: '',
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['read'],
  firstParty: false,
  mayIntrospect: false,
  uris: ''
}

/** The advice next to each secret. */
export const secretAdvice = 'Anybody who has the secret can act as this client.'

/** Adds a client and shows its secret. */
export function AddClient() {
  const [typed, setTyped] = useState(emptyClient)
  const { id, isPublic } = typed
  const add = async () => {
    const { uris, ...rest } = typed
    const { problems, result } = await addClient({ ...rest, redirectUris: toLines(uris) })
    if (problems.length > 0) return problems
    setTyped(emptyClient)
    if (result?.secret)
      showSecret({ title: `The secret of ${id}`, text: result.secret, advice: secretAdvice })
    navigate(hrefOf(['admin', 'clients', id]))
    return []
  }
  const setPublic = (isPublic: boolean) =>
    setTyped({
      ...typed,
      isPublic,
      // Removes what a public client cannot have.
      ...(isPublic && {
        mayIntrospect: false,
        grantTypes: typed.grantTypes.filter(name => publicGrantTypes.includes(name))
      })
    })
  return (
    <DialogForm title="Add a client" submitLabel="Add" onSubmit={add}>
      <label class="form-field">
        <span class="label">Id</span>
        <input
          class="field"
          required
          value={id}
          autocomplete="off"
          spellcheck={false}
          onInput={event => setTyped({ ...typed, id: event.currentTarget.value })}
        />
      </label>
      <Check
        label="The client cannot keep a secret: a web page or an app (public)"
        checked={isPublic}
        onChange={setPublic}
      />
      <ClientFields
        typed={typed}
        isPublic={isPublic}
        onChange={change => setTyped({ ...typed, ...change })}
      />
    </DialogForm>
  )
}
