import { finish } from '../../../../explorer/admin/mutation.ts'
import { showSecret } from '../../../../explorer/admin/secret-dialog.tsx'
import { userId } from '../../../../explorer/api.ts'
import { hrefOf, navigate } from '../../../../explorer/route.ts'
import { Confirm } from '../../../../explorer/ui/confirm.tsx'
import type { User } from '../../../../packages/client/schema.ts'
import { nameOf } from './format.ts'
import { deleteUser, endSessions, resetPassword, updateUser } from './write.ts'

/** The actions on an account. Each must be confirmed. */
export function PersonActions({ user, onChange }: { user: User; onChange: () => void }) {
  const { id, email, disabled, invited } = user
  const name = nameOf(user)
  const own = (what: string) => (id === userId() ? `This is your own account. ${what}` : undefined)
  const reset = async () => {
    const { problems, result } = await resetPassword(id)
    if (result?.link)
      showSecret({
        title: `The link for ${email}`,
        text: result.link,
        advice: 'Send the link yourself. Anybody who has it can set a new password, once, within 24 hours.'
      })
    if (problems.length === 0) onChange()
    return problems
  }
  return (
    <div class="admin-actions across">
      <Confirm
        title={invited ? `Invite ${name} again?` : `Reset the password of ${name}?`}
        label={invited ? 'New link' : 'Reset password'}
        confirmLabel="Make the link"
        ownWarning={own('Anybody who has the link can take over the account.')}
        onConfirm={reset}
      >
        You get a link to send to {email}.{' '}
        {invited ? 'Earlier links work until they expire.' : 'The old password works until the link is used.'}
      </Confirm>
      <Confirm
        title={`End the sessions of ${name}?`}
        label="End sessions"
        ownWarning={own('You will be logged out here, too.')}
        onConfirm={() => finish(endSessions(id), onChange)}
      >
        {name} is logged out of every browser and every application, and may log in again. Links that set a
        password end, too.
      </Confirm>
      <Confirm
        title={disabled ? `Let ${name} log in again?` : `Disable ${name}?`}
        label={disabled ? 'Enable' : 'Disable'}
        ownWarning={
          disabled
            ? undefined
            : own('You will be logged out, and only another administrator can let you in again.')
        }
        onConfirm={() => finish(updateUser(id, { disabled: !disabled }), onChange)}
      >
        {disabled
          ? 'The password and the role are as before.'
          : `${name} is logged out everywhere and may not log in until somebody enables the account.`}
      </Confirm>
      <Confirm
        title={`Delete ${name} (${email})?`}
        label="Delete"
        confirmLabel={`Delete ${name}`}
        look="danger"
        ownWarning={own('You will be logged out, and nobody can restore the account.')}
        onConfirm={() => finish(deleteUser(id), () => navigate(hrefOf(['admin', 'people'])))}
      >
        The account is deleted permanently, with all sessions and ways to log in. The templates and the audit
        trail stay. To keep somebody out for a while, disable the account instead.
      </Confirm>
    </div>
  )
}
