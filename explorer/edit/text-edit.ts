import { applyEdits, type FormattingOptions, type JSONPath, modify } from 'jsonc-parser'

/**
 * Changes one value of a JSON text; undefined removes it. Everything else stays as it is, to the byte. What is new is
 * written in the style of the text: on one line, or indented.
 */
export function changeText(text: string, path: JSONPath, value: unknown, isInsertion = false): string {
  const edits = modify(text, path, value, { isArrayInsertion: isInsertion, ...styleOf(text) })
  return applyEdits(text, edits)
}

function styleOf(text: string): { formattingOptions?: FormattingOptions } {
  const [, eol, indent] = text.match(/(\r?\n)([ \t]+)\S/) ?? []
  if (eol === undefined || indent === undefined) return {}
  const insertSpaces = indent[0] !== '\t'
  return { formattingOptions: { eol, insertSpaces, tabSize: insertSpaces ? indent.length : 1 } }
}
