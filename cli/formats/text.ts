import { maxRecordSize } from '../../tables/csv.ts'
import { Unreadable } from '../../tables/table.ts'

/** Decodes UTF-8, without a byte order mark. Throws {@link Unreadable} for other bytes. */
export async function* decodeText(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  for await (const bytes of input) {
    const text = decode(decoder, bytes, line)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) line++
    yield text
  }
  yield decode(decoder, undefined, line)
}

function decode(decoder: TextDecoder, bytes: Uint8Array | undefined, line: number): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    // The first character that cannot be decoded becomes U+FFFD.
    const [before = ''] = new TextDecoder().decode(bytes).split('\uFFFD', 1)
    throw new Unreadable('the file is not in UTF-8', { line: line + before.split('\n').length - 1 })
  }
}

/** Splits a text into its lines. */
export async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let count = 1
  for await (const chunk of text) {
    const lines = chunk.split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop() as string
    yield* lines
    count += lines.length
    if (rest.length > maxRecordSize)
      throw new Unreadable(`the line is longer than ${maxRecordSize} characters`, { line: count })
  }
  if (rest !== '') yield rest
}
