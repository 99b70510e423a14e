import type { Role, User } from '../../../packages/client/schema.ts'
import { runMutation } from '../mutation.ts'
import { adminParts } from '../parts.ts'

export const userFields = [
  'id email firstName lastName country mobile wallets role where disabled sessions lastLogin failedLogins lockedUntil invited linkExpires',
  ...adminParts.flatMap(({ userFacts }) => userFacts?.fields ?? [])
].join(' ')

const errors = 'userErrors { code message path }'

export interface Profile {
  firstName: string
  lastName: string
  role: Role
  /** The rule: a filter; `{}` for all templates. */
  where: object
  country: string
  mobile: string
  wallets: string[]
}

export const inviteUser = (input: { email: string } & Profile) =>
  runMutation<{ user: User; link: string }>(
    `mutation Invite($input: InviteUserInput!) {
      inviteUser(input: $input) { link user { id } ${errors} } }`,
    { input }
  )

export const resetPassword = (id: string) =>
  runMutation<{ link: string }>(
    `mutation ResetPassword($id: ID!) { resetPassword(id: $id) { link ${errors} } }`,
    {
      id
    }
  )

export const updateUser = (id: string, input: Partial<Profile> & { disabled?: boolean }) =>
  runMutation(
    `mutation UpdateUser($id: ID!, $input: UpdateUserInput!) {
      updateUser(id: $id, input: $input) { ${errors} } }`,
    { id, input }
  )

export const endSessions = (id: string) =>
  runMutation(`mutation EndSessions($id: ID!) { endSessions(id: $id) { ${errors} } }`, { id })

export const deleteUser = (id: string) =>
  runMutation(`mutation DeleteUser($id: ID!) { deleteUser(id: $id) { ${errors} } }`, { id })
