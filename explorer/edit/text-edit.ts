import {
  applyEdits,
  type Edit,
  type FormattingOptions,
  findNodeAtLocation,
  format,
  type JSONPath,
  modify,
  type Node,
  parseTree
} from 'jsonc-parser'

/**
 * Changes one value of a JSON text; undefined removes it. All other bytes stay. New text follows the style of the old
 * text: on one line, or indented.
 */
export function changeText(text: string, path: JSONPath, value: unknown, isInsertion = false): string {
  const removal = value === undefined ? removeLast(text, path) : undefined
  const edits = removal ? [removal] : modify(text, path, value, { isArrayInsertion: isInsertion })
  const changed = applyEdits(text, edits)
  const [{ offset, content } = { offset: 0, content: '' }] = edits
  const style = styleOf(text)
  if (content === '' || !style) return changed
  // `modify` could format too, but it formats the whole line around the edit.
  const isFirst = /^[[{][\]}]$/.test(text.slice(offset - 1, offset + 1))
  const range = { offset: offset - Number(isFirst), length: content.length + 2 * Number(isFirst) }
  return applyEdits(changed, format(changed, range, style))
}

/**
 * Removes the last of several elements; undefined for any other path. `modify` takes the byte before the bracket for a
 * space: it makes `[12]` of `[1,2]`.
 */
function removeLast(text: string, path: JSONPath): Edit | undefined {
  const root = parseTree(text)
  const node = root && findNodeAtLocation(root, path)
  const [previous, last] = node?.parent?.type === 'array' ? (node.parent.children?.slice(-2) ?? []) : []
  if (!previous || !node || last !== node) return undefined
  return { offset: endOf(previous), length: endOf(node) - endOf(previous), content: '' }
}

const endOf = ({ offset, length }: Node): number => offset + length

/** Formats a value for a text field. */
export const toText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

function styleOf(text: string): FormattingOptions | undefined {
  const [, eol, indent] = text.match(/(\r?\n)([ \t]+)\S/) ?? []
  if (eol === undefined || indent === undefined) return undefined
  const insertSpaces = indent[0] !== '\t'
  return { eol, insertSpaces, tabSize: insertSpaces ? indent.length : 1 }
}
