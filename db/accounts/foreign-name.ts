/** Maximum characters of a subject, a client id or a name that another issuer, a provider or a host gives. */
export const maxNameLength = 255

/** Whether every engine can store a value as one of these. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxNameLength && value.isWellFormed() && !value.includes('\0')
