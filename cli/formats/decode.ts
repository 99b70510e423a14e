import { FormatError } from '../../domain/format-error.ts'

/** Decodes UTF-8, without its byte order mark. Throws {@link FormatError} with the line of a byte that is not UTF-8. */
export async function* decodeUtf8(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      throw new FormatError('the file is not in UTF-8', { line: line + countLinesBefore(bytes) })
    }
  }
  for await (const bytes of input) {
    const text = decode(bytes, true)
    yield text
    line += countBreaks(text)
  }
  yield decode(new Uint8Array(), false)
}

/** Counts the lines before a wrong byte, which may also be at the end of the bytes before. */
function countLinesBefore(bytes: Uint8Array): number {
  // The first bytes may be the rest of a character.
  const begin = bytes.findIndex(byte => byte >> 6 !== 0b10)
  const text = new TextDecoder().decode(bytes.subarray(Math.max(0, begin)))
  return countBreaks(text.slice(0, Math.max(0, text.indexOf('\ufffd'))))
}

const countBreaks = (text: string): number => text.split('\n').length - 1
