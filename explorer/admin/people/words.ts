import type { Role, User } from '../../../packages/client/schema.ts'

/** The roles, and what each may do. */
export const roles: { name: Role; label: string; may: string }[] = [
  { name: 'reader', label: 'Reader', may: 'Reads templates' },
  {
    name: 'editor',
    label: 'Editor',
    may: 'Reads and changes templates, but neither publishes nor deletes them'
  },
  { name: 'publisher', label: 'Publisher', may: 'Reads, changes, publishes and deletes templates' },
  { name: 'admin', label: 'Administrator', may: 'Does everything, and manages people and clients' }
]

export const rightsOf = (role: Role): string => roles.find(({ name }) => name === role)?.may ?? ''

export const labelOfRole = (role: string): string => roles.find(({ name }) => name === role)?.label ?? role

/** How the page calls somebody; the e-mail address if there is no name. */
export const nameOf = ({
  firstName,
  lastName,
  email
}: Pick<User, 'firstName' | 'lastName' | 'email'>): string => `${firstName} ${lastName}`.trim() || email

/** What stands in the place of a picture. */
export function initialsOf({ firstName, lastName, email }: User): string {
  const initials = [firstName, lastName].map(name => [...name][0] ?? '').join('')
  return (initials || email.slice(0, 1)).toUpperCase()
}

/** Reads what was typed as a rule. Nothing is the rule `{}`: all templates. */
export function readRule(text: string): { where: object } | { problem: string } {
  if (text.trim() === '') return { where: {} }
  try {
    const where: unknown = JSON.parse(text)
    if (typeof where === 'object' && where !== null && !Array.isArray(where)) return { where }
  } catch {
    // Said below.
  }
  return { problem: 'The rule must be a JSON object, such as {"componentName":{"equals":"TrackingRecord"}}.' }
}

/** Reads the addresses that were typed, one on each line. */
export const toWallets = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

/** A stored rule, line by line. */
export function writeRule(where: string | null): string {
  return where === null ? '' : JSON.stringify(JSON.parse(where), null, 2)
}
