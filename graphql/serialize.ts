import type { Operation } from './operation.ts'
import type { Result } from './result.ts'

/** Bytes serialized in one turn. */
const maxBytesAtOnce = 2 ** 17
/** Levels of a result serialized piece by piece: a field, its edges, their nodes, and one field of these. */
const maxLevels = 6

/**
 * Serializes a result; a large one piece by piece, so that the event loop can serve other requests in between. Lists
 * that are already written are inserted in their places. Throws RESULT_TOO_LARGE.
 */
export async function serialize(result: Result, operation: Operation): Promise<Buffer[]> {
  const { lists } = operation
  if (lists.size === 0 && operation.textLength < maxBytesAtOnce) {
    const bytes = Buffer.from(JSON.stringify(result))
    operation.count(bytes.length)
    return [bytes]
  }
  const pieces: Buffer[] = []
  let text = ''
  const flush = () => {
    operation.write(pieces, text)
    text = ''
  }
  for (const piece of takeApart(result, maxLevels, findWritten(result, lists))) {
    if (typeof piece === 'string') text += piece
    else {
      flush()
      pieces.push(...piece)
    }
    if (text.length < maxBytesAtOnce) continue
    flush()
    await operation.turn()
  }
  flush()
  return pieces
}

/** Finds the written list that replaces an empty one in `data`. */
function findWritten({ data }: Result, lists: Map<string, Buffer[]>) {
  return (parent: object, name: string): Buffer[] | undefined =>
    parent === data ? lists.get(name) : undefined
}

/** Yields the JSON in short pieces, and the buffers of lists that are already written. */
function* takeApart(
  value: unknown,
  levels: number,
  written: (parent: object, name: string) => Buffer[] | undefined
): Generator<string | Buffer[]> {
  if (typeof value !== 'object' || value === null || levels === 0) {
    yield JSON.stringify(value)
    return
  }
  if (Array.isArray(value)) {
    let begin = '['
    for (const item of value) {
      yield begin
      yield* takeApart(item, levels - 1, written)
      begin = ','
    }
    yield value.length === 0 ? '[]' : ']'
    return
  }
  let begin = '{'
  for (const [name, inner] of Object.entries(value)) {
    yield `${begin}${JSON.stringify(name)}:`
    const list = written(value, name)
    if (list) {
      yield '['
      yield list
      yield ']'
    } else yield* takeApart(inner, levels - 1, written)
    begin = ','
  }
  yield begin === '{' ? '{}' : '}'
}
