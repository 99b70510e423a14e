/** Characters of a subject, of the id of a client and of a name that come from elsewhere. */
export const maxNameLength = 255

/** Whether a value can be stored as one of these, whatever the engine. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxNameLength && value.isWellFormed() && !value.includes('\0')
