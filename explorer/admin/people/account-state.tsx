import type { User } from '../../../packages/client/schema.ts'
import { Time } from '../../parts/time.tsx'

/** Whether a user can log in. */
export function AccountState({ user: { disabled, lockedUntil, invited, linkExpires } }: { user: User }) {
  if (disabled) return <span class="pill draft">Disabled</span>
  if (invited)
    return (
      <span class={linkExpires === null ? 'pill draft' : 'pill'}>
        {linkExpires === null ? (
          'Invited, the link has expired'
        ) : (
          <span>
            Invited, the link works until <Time time={linkExpires} />
          </span>
        )}
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
