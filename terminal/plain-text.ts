import { unprintable } from '../domain/text.ts'

const unsafe = new RegExp(`[${unprintable}]`, 'g')

/** Replaces characters that could control the terminal or change the direction of text. Keeps tabs and line feeds. */
export const toPlainText = (text: string): string =>
  text.replace(unsafe, character => ('\t\n'.includes(character) ? character : '\u{FFFD}'))

/** Like {@link toPlainText}, but also replaces tabs and line feeds. */
export const toPlainLine = (text: string): string => text.replace(unsafe, '\u{FFFD}')

/** Formats JSON. Escapes unsafe characters instead of replacing them, so that the value stays the same. */
export const formatJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(unsafe, character =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
