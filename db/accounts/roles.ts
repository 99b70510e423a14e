/**
 * What a role may allow: to read, to write templates, to publish and delete them, and to administer accounts. All rights
 * require `read`, and `publish` requires `write`.
 */
export const rights = ['read', 'write', 'publish', 'admin'] as const

/** The rights of users. The scopes of a token say which of them its client may use; the scope `write` includes `publish`. */
const rightsOfRoles = {
  reader: ['read'],
  editor: ['read', 'write'],
  publisher: ['read', 'write', 'publish'],
  admin: ['read', 'write', 'publish', 'admin']
} as const

export type Role = keyof typeof rightsOfRoles
export const roles = Object.keys(rightsOfRoles) as Role[]
export const defaultRole = 'publisher' satisfies Role

/** Returns the role of a user. A role that only a newer program knows counts as the role with the fewest rights. */
export const toRole = (stored: string): Role => roles.find(role => role === stored) ?? 'reader'

/** Whether a role allows a scope or a right. A scope that is no right concerns the user alone, so every role allows it. */
export const allows = (role: Role, scope: string): boolean =>
  !rights.some(right => right === scope) || (rightsOfRoles[role] as readonly string[]).includes(scope)
