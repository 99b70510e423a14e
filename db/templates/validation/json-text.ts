import { type JSONVisitor, visit } from 'jsonc-parser'
import { type Problems, toPointer } from './problem.ts'

/** Maximum depth of arrays and objects in a document. */
export const maxDepth = 100

/** The rest of a text is not read: it cannot be parsed, or is nested too deeply. */
class UnusableText extends Error {}

/**
 * Reads a JSON text for what JSON.parse does not report: the place of a mistake, keys that occur twice and the depth.
 * Returns whether the text can be parsed and validated.
 */
export function checkJson(text: string, problems: Problems): boolean {
  /** The keys so far of each array and object that is not closed yet. */
  const open: Set<string>[] = []
  const begin: JSONVisitor['onObjectBegin'] = (_offset, _length, _line, _character, path) => {
    open.push(new Set())
    if (open.length <= maxDepth) return
    problems.add('TOO_DEEP', 'data', `data has more than ${maxDepth} levels`, toPointer(path()))
    throw new UnusableText()
  }
  const end = () => void open.pop()
  const visitor: JSONVisitor = {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty(key, _offset, _length, _line, _character, path) {
      const keys = open.at(-1)
      if (keys?.has(key))
        problems.add(
          'DUPLICATE_KEY',
          'data',
          'a key occurs twice in the same object',
          toPointer([...path(), key])
        )
      keys?.add(key)
    },
    onError(_code, _offset, _length, line, character) {
      const place = `line ${line + 1}, column ${character + 1}`
      problems.add('INVALID_JSON', 'data', `data is not valid JSON: see ${place}`)
      throw new UnusableText()
    }
  }
  try {
    visit(text, visitor, { disallowComments: true })
    return true
  } catch (error) {
    if (error instanceof UnusableText) return false
    throw error
  }
}
