import type { Role, User } from '../../../../packages/client/schema.ts'

/** The roles and their rights. */
export const roles: { name: Role; label: string; rights: string }[] = [
  { name: 'reader', label: 'Reader', rights: 'Reads templates' },
  {
    name: 'editor',
    label: 'Editor',
    rights: 'Reads and changes templates, but neither publishes nor deletes them'
  },
  { name: 'publisher', label: 'Publisher', rights: 'Reads, changes, publishes and deletes templates' },
  { name: 'admin', label: 'Administrator', rights: 'Does everything, and manages people and clients' }
]

export const roleChoices = roles.map(({ name, label }): [Role, string] => [name, label])

export const describeRights = (role: Role): string => roles.find(({ name }) => name === role)?.rights ?? ''

export const roleLabel = (role: string): string => roles.find(({ name }) => name === role)?.label ?? role

/** Returns the name of a user, or the e-mail address if there is no name. */
export const nameOf = ({
  firstName,
  lastName,
  email
}: Pick<User, 'firstName' | 'lastName' | 'email'>): string => `${firstName} ${lastName}`.trim() || email

/** Returns the initials that the page shows instead of a picture. */
export function initialsOf({ firstName, lastName, email }: User): string {
  const initials = [firstName, lastName].map(name => [...name][0] ?? '').join('')
  return (initials || email.slice(0, 1)).toUpperCase()
}
