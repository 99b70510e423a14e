import { createScanner } from 'jsonc-parser'
import { isObject, parseJson } from '../table/document.ts'
import { JsonMistake, splitItems } from '../table/json-items.ts'

/** The parts of a document that its metadata has. */
export type DocumentParts = { [key in (typeof textKeys)[number] | 'attributes']?: unknown }

const textKeys = ['name', 'description', 'image', 'external_url'] as const

/** Characters. Longer documents are not parsed at once, since that would block the event loop. */
const longestParsed = 2 ** 18
/** Characters that are read without a break. */
const pieceLength = 2 ** 16

/** Reads a document; a long one in several turns. What is not a JSON object has no parts. */
export async function readParts(data: string, turn: () => Promise<void>): Promise<DocumentParts> {
  if (data.length > longestParsed) return readLong(data, turn)
  const document = parseJson(data)
  return isObject(document) ? document : {}
}

/** Finds the parts of a long document without parsing the others. */
async function readLong(data: string, turn: () => Promise<void>): Promise<DocumentParts> {
  const texts = new Map<string, string>()
  const parts: DocumentParts = {}
  try {
    for await (const { text } of splitItems(cut(data, turn), '{')) {
      const scanner = createScanner(text, true)
      scanner.scan()
      const key = scanner.getTokenValue()
      scanner.scan()
      texts.set(key, text.slice(scanner.getPosition()))
    }
    for (const key of textKeys) parts[key] = parseJson(texts.get(key) ?? '')
    const entries: unknown[] = []
    parts.attributes = entries
    for await (const { text } of splitItems(cut(texts.get('attributes') ?? '', turn), '['))
      entries.push(parseJson(text))
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error
  }
  return parts
}

async function* cut(text: string, turn: () => Promise<void>): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += pieceLength) {
    await turn()
    yield text.slice(start, start + pieceLength)
  }
}
