import type { User } from '../../../packages/client/schema.ts'
import { userId } from '../../api.ts'
import { go, hrefOf } from '../../place.ts'
import { Ask } from '../ask.tsx'
import { showOnce } from '../once.tsx'
import type { Outcome } from '../problems.ts'
import { nameOf } from './words.ts'
import { deleteUser, endSessions, resetPassword, updateUser } from './write.ts'

interface Props {
  user: User
  onChange: () => void
}

/** The actions on an account. Each must be confirmed. */
export function PersonActions({ user, onChange }: Props) {
  const { id, email, disabled } = user
  const name = nameOf(user)
  const own = (what: string) => (id === userId() ? `This is your own account. ${what}` : undefined)
  const then = async (job: Promise<Outcome<object>>, next: () => void = onChange) => {
    const { problems } = await job
    if (problems.length === 0) next()
    return problems
  }
  const reset = async () => {
    const { problems, result } = await resetPassword(id)
    if (result?.link)
      showOnce({
        title: `The link for ${email}`,
        text: result.link,
        advice: 'Send it yourself. Whoever has it chooses a new password, once, within 24 hours.'
      })
    return problems
  }
  return (
    <div class="admin-actions">
      <Ask
        title={`Reset the password of ${name}?`}
        opener="Reset password"
        verb="Make the link"
        own={own('Whoever has the link can take it over.')}
        onConfirm={reset}
      >
        You get a link to send to {email}. The old password works until the link is used.
      </Ask>
      <Ask
        title={`End the sessions of ${name}?`}
        opener="End sessions"
        verb="End sessions"
        own={own('You will be logged out here, too.')}
        onConfirm={() => then(endSessions(id))}
      >
        {name} is logged out of every browser and every application, and may log in again. Links that set a
        password end, too.
      </Ask>
      {disabled ? (
        <Ask
          title={`Let ${name} log in again?`}
          opener="Enable"
          verb="Enable"
          onConfirm={() => then(updateUser(id, { disabled: false }))}
        >
          The password and the role are as before.
        </Ask>
      ) : (
        <Ask
          title={`Disable ${name}?`}
          opener="Disable"
          verb="Disable"
          own={own('You will be logged out, and only another administrator can let you in again.')}
          onConfirm={() => then(updateUser(id, { disabled: true }))}
        >
          {name} is logged out everywhere and may not log in until somebody enables the account.
        </Ask>
      )}
      <Ask
        title={`Delete ${name} (${email})?`}
        opener="Delete"
        verb={`Delete ${name}`}
        own={own('You will be logged out, and nobody can bring it back.')}
        onConfirm={() => then(deleteUser(id), () => go(hrefOf(['admin', 'people'])))}
      >
        The account is gone for good, with all sessions and passkeys. The templates and the audit trail stay.
        To keep somebody out for a while, disable the account instead.
      </Ask>
    </div>
  )
}
