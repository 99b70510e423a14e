import { additions } from '../../../../explorer/admin/additions.ts'
import { runMutation } from '../../../../explorer/admin/mutation.ts'
import type {
  InviteUserInput,
  InviteUserPayload,
  UpdateUserInput
} from '../../../../packages/client/schema.ts'

export const userFields = [
  'id email firstName lastName country mobile wallets role where disabled sessions lastLogin failedLogins lockedUntil invited linkExpires',
  ...additions.flatMap(({ userFacts }) => userFacts?.fields ?? [])
].join(' ')

export const inviteUser = (input: InviteUserInput) =>
  runMutation<InviteUserPayload>('inviteUser', { input: ['InviteUserInput!', input] }, 'link user { id }')

export const resetPassword = (id: string) =>
  runMutation<{ link: string }>('resetPassword', { id: ['ID!', id] }, 'link')

export const updateUser = (id: string, input: UpdateUserInput) =>
  runMutation('updateUser', { id: ['ID!', id], input: ['UpdateUserInput!', input] })

export const endSessions = (id: string) => runMutation('endSessions', { id: ['ID!', id] })

export const deleteUser = (id: string) => runMutation('deleteUser', { id: ['ID!', id] })
