import type { Operation } from './operation.ts'
import type { Result } from './result.ts'
import { WrittenJson } from './written.ts'

/** Bytes of documents up to which a result is serialized at once. */
const maxBytesAtOnce = 2 ** 17

type Texts = Operation['texts']

/**
 * Serializes a result; a large one piece by piece, so that the event loop can serve other requests in between. JSON
 * that is already written is inserted in its place. Throws RESULT_TOO_LARGE, or the reason for which the operation has
 * ended.
 */
export async function serialize(result: Result, operation: Operation): Promise<Buffer[]> {
  const { texts, signal } = operation
  if ('data' in result) signal.throwIfAborted()
  const json = new WrittenJson(operation)
  if (texts.size === 0 && operation.textLength < maxBytesAtOnce) json.add(JSON.stringify(result))
  else {
    for (const piece of takeApart(result, '', texts, placesAbove(texts))) {
      if (typeof piece === 'string') json.add(piece)
      else json.addBytes(piece)
      if (json.isFull) await json.flush()
    }
  }
  json.end()
  return json.bytes
}

/** Adds `extensions` to a serialized result. */
export function addExtensions(bytes: Buffer[], extensions: Record<string, unknown>): Buffer[] {
  const end = bytes.at(-1) as Buffer
  const added = `,"extensions":${JSON.stringify(extensions)}}`
  return [...bytes.slice(0, -1), end.subarray(0, -1), Buffer.from(added)]
}

/** Returns the places of all objects and lists that have a written text somewhere below. */
function placesAbove(texts: Texts): ReadonlySet<string> {
  const places = new Set<string>()
  for (const path of texts.keys())
    for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
      const place = path.slice(0, end)
      if (places.has(place)) break
      places.add(place)
    }
  return places
}

/** Yields the JSON in short pieces, and the bytes of what is already written. */
function* takeApart(
  value: unknown,
  path: string,
  texts: Texts,
  above: ReadonlySet<string>
): Generator<string | Buffer[]> {
  const written = texts.get(path)
  if (written) yield written.bytes
  else if (typeof value !== 'object' || value === null || (path !== '' && !above.has(path) && isFlat(value)))
    yield JSON.stringify(value)
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ','
      yield* takeApart(item, `${path}.${index}`, texts, above)
    }
    yield value.length === 0 ? '[]' : ']'
  } else {
    const names = Object.keys(value)
    for (const [index, name] of names.entries()) {
      yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`
      yield* takeApart(value[name as never], path === '' ? name : `${path}.${name}`, texts, above)
    }
    yield names.length === 0 ? '{}' : '}'
  }
}

/** Whether a value has no objects and no lists inside. */
const isFlat = (value: object): boolean =>
  Object.values(value).every(inner => typeof inner !== 'object' || inner === null)
