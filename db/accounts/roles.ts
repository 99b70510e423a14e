/**
 * Reading, writing templates, publishing and deleting them, and administration of accounts. Each is of no use without
 * `read`, and `publish` without `write`.
 */
export const rights = ['read', 'write', 'publish', 'admin'] as const

/**
 * What users may do. The scopes of a token are what its client may do for the user, and `write` includes what the user may
 * publish.
 */
const rightsOfRoles = {
  reader: ['read'],
  editor: ['read', 'write'],
  publisher: ['read', 'write', 'publish'],
  admin: ['read', 'write', 'publish', 'admin']
} as const

export type Role = keyof typeof rightsOfRoles
export const roles = Object.keys(rightsOfRoles) as Role[]
export const defaultRole = 'publisher' satisfies Role

/** Returns the role of a user. A newer program may have stored one that this one does not know: it has the least rights. */
export const toRole = (stored: string): Role => roles.find(role => role === stored) ?? 'reader'

/** Tells whether users of a role may have a scope or a right. Other scopes are about the user alone. */
export const allows = (role: Role, scope: string): boolean =>
  !rights.some(right => right === scope) || (rightsOfRoles[role] as readonly string[]).includes(scope)
