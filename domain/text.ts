import { hasMoreCharacters } from '../runtime/characters.ts'

/**
 * Characters that a text of one line must not contain: control characters, and those that change the direction of text.
 * The text is the inside of a character class.
 */
export const unprintable = '\\x00-\\x1F\\x7F-\\x9F\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069'

/** Maximum length of a subject, a client id or a name from another issuer, a provider or a host. */
export const maxNameLength = 255

/** Whether a value can be stored as a subject, a client id or a name. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && !hasMoreCharacters(value, maxNameLength) && isStorable(value)

/** Replaces the characters that a text of one line must not contain. */
export const toOneLine = (text: string): string => text.replace(new RegExp(`[${unprintable}]`, 'g'), ' ')

/** Whether every engine can store a text. PostgreSQL cannot store U+0000, and UTF-8 has no lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
