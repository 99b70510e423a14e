import { signal } from '@preact/signals'
import { GraphQLResponseError } from '../../packages/client/index.ts'
import { role } from '../api.ts'
import { readField } from '../requests.ts'

/** `stale`: the role is `admin`, but the token is older than the role and lacks the scope `admin`. */
type Access = 'granted' | 'stale' | 'refused'

/** Whether the user may use the administration; undefined until it has been read. */
export const access = signal<Access | undefined>(undefined)

export async function readAccess(): Promise<void> {
  const query = '{ viewer { role scopes } }'
  const viewer = await readField<{ role: string | null; scopes: string[] }>(query)
  role.value = viewer.role
  const isStale = viewer.role === 'admin'
  access.value = viewer.scopes.includes('admin') ? 'granted' : isStale ? 'stale' : 'refused'
}

/** Returns whether the user has lost the right to administer. If so, reads the access again, which updates the page. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof GraphQLResponseError) || !error.codes.includes('FORBIDDEN')) return false
  readAccess().catch(() => {})
  return true
}
