import { isObject, parseJson } from '../table/document.ts'

/** The parts of a document that its metadata has. */
export interface DocumentParts {
  /** The values of the keys of the document, without `attributes`. */
  values: Map<string, unknown>
  /** The entries of `attributes`; undefined at places where others may have their turn. */
  entries: Iterable<unknown>
}

/** Characters. Longer documents are not parsed at once, since that would block the event loop. */
const longestParsed = 2 ** 18
/** Tokens that are read without a break. */
const tokensPerPiece = 5000

const empty: DocumentParts = { values: new Map(), entries: [] }

/** Reads a document in pieces. What is not a JSON object has no parts. */
export async function readParts(data: string, turn: () => Promise<void>): Promise<DocumentParts> {
  try {
    return data.length <= longestParsed ? parseParts(data) : await cutParts(data, turn)
  } catch (error) {
    if (error instanceof SyntaxError) return empty
    throw error
  }
}

function parseParts(data: string): DocumentParts {
  const document = JSON.parse(data)
  if (!isObject(document)) return empty
  const { attributes, ...values } = document
  return { values: new Map(Object.entries(values)), entries: Array.isArray(attributes) ? attributes : [] }
}

/** Finds the parts of a long document without parsing the others. */
async function cutParts(data: string, turn: () => Promise<void>): Promise<DocumentParts> {
  const start = data.search(/[^ \t\n\r]/)
  if (data[start] !== '{') return empty
  const values = new Map<string, unknown>()
  let attributes: number | undefined
  for (const member of cutItems(data, start)) {
    await turn()
    if (member === undefined) continue
    const { key, valueStart } = readKey(data, member.start)
    if (key === 'attributes') attributes = data[valueStart] === '[' ? valueStart : undefined
    else if (metadataKeys.has(key)) values.set(key, JSON.parse(data.slice(valueStart, member.end)))
  }
  return { values, entries: attributes === undefined ? [] : parseItems(data, attributes) }
}

const metadataKeys: ReadonlySet<string> = new Set(['name', 'description', 'image', 'external_url'])

function readKey(data: string, start: number): { key: string; valueStart: number } {
  const quote = skipSpace(data, start)
  const end = data[quote] === '"' ? findQuote(data, quote) : quote
  const colon = skipSpace(data, end)
  if (end === quote || data[colon] !== ':') throw new SyntaxError('a key was expected')
  return { key: JSON.parse(data.slice(quote, end)), valueStart: skipSpace(data, colon + 1) }
}

function skipSpace(data: string, position: number): number {
  const space = /[ \t\n\r]*/y
  space.lastIndex = position
  space.test(data)
  return space.lastIndex
}

function* parseItems(data: string, start: number): Generator<unknown> {
  for (const item of cutItems(data, start))
    yield item === undefined ? undefined : parseJson(data.slice(item.start, item.end))
}

interface Span {
  start: number
  end: number
}

/** Yields the members of the array or object that begins at `start`, and undefined between pieces of the work. */
function* cutItems(data: string, start: number): Generator<Span | undefined> {
  const structure = /["[\]{},]/g
  structure.lastIndex = start + 1
  let depth = 1
  let itemStart = start + 1
  for (let tokens = 1; depth > 0; tokens++) {
    if (tokens % tokensPerPiece === 0) yield undefined
    const at = structure.test(data) ? structure.lastIndex - 1 : -1
    const token = data[at]
    if (token === undefined) throw new SyntaxError('the end is missing')
    if (token === '"') structure.lastIndex = findQuote(data, at)
    else if (token === '[' || token === '{') depth++
    else if (token !== ',') depth--
    const isEnd = depth === 0 || (depth === 1 && token === ',')
    if (!isEnd) continue
    // An empty array or object has no members.
    if (token === ',' || skipSpace(data, itemStart) < at) yield { start: itemStart, end: at }
    itemStart = at + 1
  }
}

/** Returns the end of the string that begins at a position. It does not check the string: that is done when it is parsed. */
function findQuote(data: string, start: number): number {
  for (let at = data.indexOf('"', start + 1); at > 0; at = data.indexOf('"', at + 1)) {
    let backslashes = 0
    while (data[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
  return data.length
}
