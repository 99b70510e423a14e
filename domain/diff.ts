import { createTwoFilesPatch } from 'diff'
import { createPatch, type Operation } from 'rfc6902'
import { yieldToEventLoop } from '../runtime/event-loop.ts'
import { isObject, measureJson, tryParseJson } from '../runtime/json-values.ts'
import type { ProductTemplate } from './columns.ts'
import { maxLevels } from './validation/fields.ts'

type TemplateWithRevision = ProductTemplate & { revision: number }

/** The difference between two revisions, in two forms. A form is null if too much differs to compare. */
export interface RevisionDiff {
  /** JSON Patch, RFC 6902. */
  patch: Operation[] | null
  /** Unified diff. */
  text: string | null
}

/**
 * Pairs of elements of two lists, and keys of two objects, that one diff compares. The time grows with the number of
 * pairs: if the elements are lists, each pair of lists is compared pair by pair again.
 */
const maxComparisons = 10_000
/** Lines that are removed or added in a text. The time grows with the square of their number: 700 take about 50 ms. */
const maxEditLength = 700
/** Characters and lines of an indented document. Indentation multiplies a document by its levels. */
const maxTextLength = 2 ** 21
const maxTextLines = 2 ** 16
/** Characters of the pointers that one diff writes: each pair has one, and a key may be as long as the document. */
const maxPointerLength = 2 ** 22
/** Characters that take as long as another level of a pointer. */
const costOfStep = 4

/** Compares two revisions of a template, without the times. Other work runs before each form, which may take 50 ms. */
export async function diffRevisions(
  from: TemplateWithRevision,
  to: TemplateWithRevision
): Promise<RevisionDiff> {
  await yieldToEventLoop()
  const sizes = [measureJson(from.data), measureJson(to.data)]
  // Only other programs store such documents.
  if (sizes.some(({ levels }) => levels > maxLevels)) return { patch: null, text: null }
  const [before, after] = toComparable(from, to)
  const left = { comparisons: maxComparisons, characters: maxPointerLength }
  const patch = compareOrNull(() => createPatch(before, after, replaceBeyond(left)))
  const isLong = sizes.some(({ characters, lines }) => characters > maxTextLength || lines > maxTextLines)
  if (isLong) return { patch, text: null }
  await yieldToEventLoop()
  const nameOf = ({ revision }: TemplateWithRevision) => `revision ${revision}`
  const toLines = (value: object) => `${JSON.stringify(value, null, 2)}\n`
  const options = { context: 3, maxEditLength }
  const text = createTwoFilesPatch(
    nameOf(from),
    nameOf(to),
    toLines(before),
    toLines(after),
    undefined,
    undefined,
    options
  )
  return { patch, text: text ?? null }
}

/** Makes the values to compare. The parsed document replaces `data`, unless only the bytes differ. */
function toComparable(from: TemplateWithRevision, to: TemplateWithRevision): [object, object] {
  const documents = [tryParseJson(from.data), tryParseJson(to.data)] as const
  const sameValues = JSON.stringify(documents[0]) === JSON.stringify(documents[1]) && from.data !== to.data
  const readable = documents.every(document => document !== undefined) && !sameValues
  const values = ({ data, ...template }: TemplateWithRevision, document: unknown) => {
    const { id: _id, timeCreated: _created, timeModified: _modified, revision: _revision, ...more } = template
    return { ...more, ...(readable ? { document } : { data }) }
  }
  return [values(from, documents[0]), values(to, documents[1])]
}

/** Replaces a list or an object as a whole if comparing it needs more comparisons or pointers than are left. */
function replaceBeyond(left: { comparisons: number; characters: number }): Parameters<typeof createPatch>[2] {
  return (input, output, pointer) => {
    const length = pointer.tokens.reduce((sum, token) => sum + token.length + costOfStep, 0)
    const areLists = Array.isArray(input) && Array.isArray(output)
    const needed = areLists ? measureLists(input, output) : measureObjects(input, output)
    const { compared, members, keys } = needed
    const written = length * (1 + members) + keys
    if (compared > left.comparisons || written > left.characters)
      return [{ op: 'replace', path: pointer.toString(), value: output }]
    left.comparisons -= compared
    left.characters -= written
    return undefined
  }
}

/** The time for a list of the patch grows with the square of its length, because it is copied for each element. */
function measureLists(input: unknown[], output: unknown[]) {
  const members = input.length + output.length
  return { compared: input.length * output.length + members ** 2 / 16, members, keys: 0 }
}

function measureObjects(input: unknown, output: unknown) {
  const [before, after] = [keysOf(input), keysOf(output)]
  const members = before.length + after.length
  return { compared: members, members, keys: countCharacters(before) + countCharacters(after) }
}

const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])

const countCharacters = (texts: string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

/** Returns null if a comparison overflows the stack, such as one of lists with very different lengths. */
function compareOrNull<T>(compare: () => T): T | null {
  try {
    return compare()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
