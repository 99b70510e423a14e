import { Time } from '../../../../explorer/ui/time.tsx'
import type { User } from '../../../../packages/client/schema.ts'

/** Whether a user can log in. */
export function AccountState({ user: { disabled, lockedUntil, invited, linkExpires } }: { user: User }) {
  if (disabled) return <span class="pill draft">Disabled</span>
  if (invited && linkExpires === null) return <span class="pill draft">Invited, the link has expired</span>
  if (invited && linkExpires !== null)
    return (
      <span class="pill">
        <span>
          Invited, the link works until <Time time={linkExpires} />
        </span>
      </span>
    )
  if (lockedUntil === null) return <span class="pill">Active</span>
  return (
    <span class="pill draft">
      <span>
        Locked until <Time time={lockedUntil} />
      </span>
    </span>
  )
}
