import { FormatError } from '../../../domain/format-error.ts'

interface DecodeOptions {
  /** The encoding of a text without a byte order mark, by a label of https://encoding.spec.whatwg.org. */
  encoding?: string | undefined
  /** Called if the encoding of an 8-bit text was assumed, because nothing in the text tells it. */
  onAssumed?: ((encoding: string) => void) | undefined
}

/** The encoding in which spreadsheets of Western Europe save CSV. */
const western = 'windows-1252'

/** Characters in the places of bytes that an encoding does not define. Only Unicode has them in texts. */
const control = /[\x80-\x9f]/

/**
 * Decodes a text, without its byte order mark. Without `encoding`, it is UTF-8, or UTF-16, recognized by its mark or
 * its zeros, or Windows-1252. Throws FormatError for a damaged text, for bytes that the encoding does not define, and
 * for zeros, which PDFs and pictures have.
 */
export async function* decodeText(
  input: AsyncIterable<Uint8Array>,
  { encoding, onAssumed }: DecodeOptions = {}
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let held: Uint8Array = new Uint8Array()
  let isAscii = true
  let line = 1
  const refuse = (message: string, before = ''): never => {
    throw new FormatError(message, { line: line + before.split('\n').length - 1 })
  }
  const decodeWestern = (bytes: Uint8Array, tried: string): string => {
    const text = new TextDecoder(tried).decode(bytes)
    const mayAssume = tried === 'utf-8' && encoding === undefined
    if (!mayAssume || !isAscii || !isWestern(text))
      refuse(`the file is not in ${tried.toUpperCase()}, or it is damaged`, text.split('\ufffd', 1)[0])
    decoder = new TextDecoder(western)
    onAssumed?.(western)
    return decoder.decode(bytes, { stream: true })
  }
  const decode = (bytes: Uint8Array, isLast = false): string => {
    decoder ??= new TextDecoder(readMark(bytes) ?? encoding ?? guessUnicode(bytes), { fatal: true })
    let text: string
    try {
      // The end apart, because some versions of Node.js read whole texts in Windows-1252 as ISO-8859-1.
      text = decoder.decode(bytes, { stream: true }) + (isLast ? decoder.decode() : '')
    } catch {
      text = decodeWestern(bytes, decoder.encoding)
    }
    if (text.includes('\0')) throw new FormatError('the file is not a text: save the table as XLSX or CSV')
    if (!decoder.encoding.startsWith('utf-') && control.test(text))
      refuse(`the file has a byte that ${decoder.encoding} does not define`, text.split(control, 1)[0])
    return text
  }
  for await (const chunk of input) {
    const bytes = concat(held, chunk)
    // A byte order mark has at most three bytes.
    const end = bytes.length < 3 ? 0 : bytes.length - countUnfinished(bytes)
    held = bytes.slice(end)
    if (end === 0) continue
    const text = decode(bytes.subarray(0, end))
    isAscii &&= !/[^\0-\x7f]/.test(text)
    line += text.match(/\n/g)?.length ?? 0
    yield text
  }
  yield decode(held, true)
}

/** Returns the encoding that a byte order mark indicates. */
function readMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** Guesses the Unicode encoding of a text by the zeros in its first two bytes. */
function guessUnicode([first = 1, second = 1]: Uint8Array): string {
  return second === 0 ? 'utf-16le' : first === 0 ? 'utf-16be' : 'utf-8'
}

/** Whether a text has more wrong bytes than non-ASCII characters, so that UTF-8 is improbable. */
const isWestern = (text: string): boolean =>
  (text.match(/\ufffd/g)?.length ?? 0) > (text.match(/[\x80-\ufffc]/g)?.length ?? 0)

/**
 * Counts the bytes after the last ASCII character, which may be an incomplete UTF-8 character. The decoder must not
 * keep them: if they are in Windows-1252, they are decoded again. An incomplete character has at most three bytes.
 */
function countUnfinished(bytes: Uint8Array): number {
  const count = bytes.length - 1 - bytes.findLastIndex(byte => byte < 0x80)
  return count < 4 ? count : 0
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
