/**
 * Characters that a text of one line must not contain, as the inside of a character class: control characters, and
 * those that change the direction of text.
 */
export const unprintable = '\\x00-\\x1F\\x7F-\\x9F\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069'

/** Maximum characters of a subject, a client id or a name that another issuer, a provider or a host gives. */
export const maxNameLength = 255

/** Whether every engine can store a value as one of these. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxNameLength && value.isWellFormed() && !value.includes('\0')
