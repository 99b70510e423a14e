const delimiters = [',', ';', '\t']
/** Characters of a header in which the delimiter is looked for. */
const maxHeader = 2 ** 20

/** Finds the delimiter. `whole` is the text from its start. */
export async function findDelimiter(
  text: AsyncGenerator<string>
): Promise<{ delimiter: string; whole: AsyncGenerator<string> }> {
  let begin = ''
  for (let done = false; !done && !/\S.*[\r\n]/.test(begin) && begin.length < maxHeader; ) {
    const next = await text.next()
    begin += next.value ?? ''
    done = next.done === true
  }
  const delimiter = guessDelimiter(begin)
  async function* whole() {
    yield begin
    yield* text
  }
  return { delimiter, whole: whole() }
}

/** The most frequent delimiter in the first line outside of quotes. */
export function guessDelimiter(text: string): string {
  const line = text
    .trimStart()
    .replaceAll(/"[^"]*"?/g, '')
    .split(/[\r\n]/, 1)[0] as string
  const counts = delimiters.map(delimiter => line.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] as string
}
