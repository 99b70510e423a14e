import { signal } from '@preact/signals'
import { GraphQLResponseError } from '../../packages/client/index.ts'
import { role } from '../api.ts'
import { read } from '../asking.ts'

/** `stale`: the role is `admin`, but the login is older than the role, so its token does not have the scope. */
export type Access = 'granted' | 'stale' | 'refused'

/** Whether the user may administrate; undefined until it has been read. */
export const access = signal<Access | undefined>(undefined)

interface Answer {
  viewer: { role: string | null; scopes: string[] }
}

export async function readAccess(): Promise<void> {
  const { viewer } = await read<Answer>('{ viewer { role scopes } }')
  role.value = viewer.role
  const isStale = viewer.role === 'admin'
  access.value = viewer.scopes.includes('admin') ? 'granted' : isStale ? 'stale' : 'refused'
}

/** Whether the user may not administrate any more. The page then reads what has changed, and shows it. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof GraphQLResponseError) || !error.codes.includes('FORBIDDEN')) return false
  readAccess().catch(() => {})
  return true
}
