import { createTwoFilesPatch } from 'diff'
import { createPatch, type Operation } from 'rfc6902'
import { parseJson } from '../../../json-values.ts'
import { diffCostPerCharacter } from '../costs.ts'
import type { Meter } from '../meter.ts'
import type { PinnedTemplate } from '../table/product-templates.ts'

/** The difference between two revisions. A form of it is null if too much differs to compare. */
export interface RevisionDiff {
  /** JSON Patch, RFC 6902. */
  patch: Operation[] | null
  /** Unified diff. */
  text: string | null
}

/**
 * Pairs of elements of two lists, and keys of two objects, that one diff compares. The time grows with their number: if the
 * elements are lists, each pair of these is compared pair by pair again.
 */
const maxComparisons = 50_000
/** Lines that are removed or added in a text. The time grows with the square of their number: 700 take about 50 ms. */
const maxEditLength = 700

/** Compares two revisions of a template, without the times. */
export async function diffRevisions(
  from: PinnedTemplate,
  to: PinnedTemplate,
  meter: Meter
): Promise<RevisionDiff> {
  meter.spend((from.data.length + to.data.length) * diffCostPerCharacter)
  await meter.turn()
  const [before, after] = toComparable(from, to)
  await meter.turn()
  const patch = compareOrNull(() => createPatch(before, after, replaceBeyond(maxComparisons)))
  await meter.turn()
  return { patch, text: compareOrNull(() => toText(before, after, from, to)) }
}

/** Makes what is compared. For `data`, that is the parsed document, unless the documents differ only in their bytes. */
function toComparable(from: PinnedTemplate, to: PinnedTemplate): [object, object] {
  const documents = [parseJson(from.data), parseJson(to.data)] as const
  const sameValues = JSON.stringify(documents[0]) === JSON.stringify(documents[1]) && from.data !== to.data
  const readable = documents.every(document => document !== undefined) && !sameValues
  const values = ({ data, ...template }: PinnedTemplate, document: unknown) => {
    const { id: _id, timeCreated: _created, timeModified: _modified, revision: _revision, ...more } = template
    return { ...more, ...(readable ? { document } : { data }) }
  }
  return [values(from, documents[0]), values(to, documents[1])]
}

/** Replaces a list or an object as a whole if comparing it needs more comparisons than are left. */
function replaceBeyond(left: number): Parameters<typeof createPatch>[2] {
  return (input, output, pointer) => {
    const comparisons = countComparisons(input, output)
    if (comparisons > left) return [{ op: 'replace', path: pointer.toString(), value: output }]
    left -= comparisons
    return undefined
  }
}

function countComparisons(input: unknown, output: unknown): number {
  if (Array.isArray(input) && Array.isArray(output)) return input.length * output.length
  const isPair = [input, output].every(value => typeof value === 'object' && value !== null)
  return isPair ? Object.keys(input as object).length + Object.keys(output as object).length : 0
}

function toText(before: object, after: object, from: PinnedTemplate, to: PinnedTemplate): string | null {
  const names = [from, to].map(({ revision }) => `revision ${revision}`) as [string, string]
  const texts = [before, after].map(value => `${JSON.stringify(value, null, 2)}\n`) as [string, string]
  const options = { context: 3, maxEditLength }
  return createTwoFilesPatch(...names, ...texts, undefined, undefined, options) ?? null
}

/** Returns null if a comparison overflows the stack, because a document may be nested very deeply. */
function compareOrNull<T>(compare: () => T): T | null {
  try {
    return compare()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
