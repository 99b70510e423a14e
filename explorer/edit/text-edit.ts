import { applyEdits, type FormattingOptions, format, type JSONPath, modify } from 'jsonc-parser'

/**
 * Changes one value of a JSON text; undefined removes it. All other bytes stay. New text follows the style of the old
 * text: on one line, or indented.
 */
export function changeText(text: string, path: JSONPath, value: unknown, isInsertion = false): string {
  const edits = modify(text, path, value, { isArrayInsertion: isInsertion })
  const changed = applyEdits(text, edits)
  const [{ offset, content } = { offset: 0, content: '' }] = edits
  const style = styleOf(text)
  if (content === '' || !style) return changed
  // `modify` could format too, but it formats the whole line around the edit.
  const isFirst = /^[[{][\]}]$/.test(text.slice(offset - 1, offset + 1))
  const range = { offset: offset - Number(isFirst), length: content.length + 2 * Number(isFirst) }
  return applyEdits(changed, format(changed, range, style))
}

/** Formats a value for a text field. */
export const toText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

function styleOf(text: string): FormattingOptions | undefined {
  const [, eol, indent] = text.match(/(\r?\n)([ \t]+)\S/) ?? []
  if (eol === undefined || indent === undefined) return undefined
  const insertSpaces = indent[0] !== '\t'
  return { eol, insertSpaces, tabSize: insertSpaces ? indent.length : 1 }
}
