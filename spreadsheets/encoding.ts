import { FormatError } from './table.ts'

/**
 * Decodes a text, without its byte order mark. The encoding is UTF-8 or, unless `onlyUtf8`, UTF-16, recognized by its
 * mark or its zeros, or Windows-1252, in which spreadsheets save CSV in Western Europe. Throws FormatError for a damaged
 * text.
 */
export async function* decodeText(
  input: AsyncIterable<Uint8Array>,
  { onlyUtf8 = false } = {}
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let held: Uint8Array = new Uint8Array()
  let isAscii = true
  let line = 1
  const decode = (bytes: Uint8Array, stream = true): string => {
    decoder ??= new TextDecoder(onlyUtf8 ? 'utf-8' : guessUnicode(bytes), { fatal: true })
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      const text = new TextDecoder().decode(bytes)
      if (onlyUtf8 || decoder.encoding !== 'utf-8' || !isAscii || !isWestern(text)) {
        const [before = ''] = text.split('\ufffd', 1)
        throw new FormatError(`the file is not in UTF-8${onlyUtf8 ? '' : ', or damaged'}`, {
          line: line + before.split('\n').length - 1
        })
      }
      decoder = new TextDecoder('windows-1252')
      return decoder.decode(bytes, { stream })
    }
  }
  for await (const chunk of input) {
    const bytes = concat(held, chunk)
    // The first two bytes tell which Unicode encoding it is.
    const end = bytes.length < 2 ? 0 : bytes.length - countUnfinished(bytes)
    held = bytes.slice(end)
    if (end === 0) continue
    const text = decode(bytes.subarray(0, end))
    isAscii &&= !/[^\0-\x7f]/.test(text)
    line += text.match(/\n/g)?.length ?? 0
    yield text
  }
  yield decode(held, false)
}

/** Guesses the Unicode encoding of a text by its first two bytes. */
function guessUnicode([first = 1, second = 1]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : 'utf-8'
}

/** Whether a text has more wrong bytes than non-ASCII characters, so that UTF-8 is improbable. */
const isWestern = (text: string): boolean =>
  (text.match(/\ufffd/g)?.length ?? 0) > (text.match(/[\x80-\ufffc]/g)?.length ?? 0)

/**
 * Counts the bytes after the last ASCII character, which may be an incomplete UTF-8 character. The decoder must not keep
 * them: if they are in Windows-1252, they are decoded again. An incomplete character has at most three bytes.
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
