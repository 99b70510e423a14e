import { isDeepStrictEqual } from 'node:util'
import { applyEdits, modify, type Node, parseTree } from 'jsonc-parser'
import { isObject } from '../runtime/json-values.ts'

/** Traits to set, and names of traits to remove. A name is not in both. A value of null counts as absent. */
export interface TraitEdits {
  set: { traitType: string; value?: unknown }[]
  remove: string[]
}

/**
 * Sets and removes traits in the text of a document; the rest of the text stays, byte for byte. A trait that occurs
 * several times is set where it occurs first, and removed everywhere; a new one comes last. Returns undefined if the
 * text is not a JSON object, is nested too deeply, or has no list of traits to set one in.
 */
export function editTraits(data: string, edits: TraitEdits): string | undefined {
  try {
    return edit(data, edits)
  } catch (error) {
    // A document that was stored without validation may be invalid, or too deep for a recursive parser.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}

function edit(data: string, { set, remove }: TraitEdits): string | undefined {
  const root = isObject(JSON.parse(data)) ? parseTree(data) : undefined
  if (!root) return undefined
  const list = findLastValue(root, 'attributes')
  const removed = new Set<unknown>(remove)
  const missing = new Map(set.map(trait => [trait.traitType, trait]))
  const change = (item: string): string | undefined => {
    const entry: unknown = JSON.parse(item)
    const type = isObject(entry) ? entry.trait_type : undefined
    if (removed.has(type)) return undefined
    const trait = missing.get(type as string)
    if (!trait || !missing.delete(trait.traitType)) return item
    return setValue(item, entry as Entry, trait.value ?? undefined)
  }
  const more = () => Array.from(missing.values(), trait => JSON.stringify(toEntry(trait)))
  if (list?.type === 'array') return editItems(data, list, change, more)
  if (set.length === 0) return data
  return list ? undefined : applyEdits(data, modify(data, ['attributes'], set.map(toEntry), {}))
}

type Entry = Record<string, unknown>

function setValue(item: string, entry: Entry, value: unknown): string {
  if (isDeepStrictEqual(entry.value, value)) return item
  const old = findLastValue(parseTree(item) as Node, 'value')
  if (old && value !== undefined)
    return item.slice(0, old.offset) + JSON.stringify(value) + item.slice(endOf(old))
  const edited = applyEdits(item, modify(item, ['value'], value, {}))
  // A key may occur twice.
  return value === undefined && 'value' in JSON.parse(edited) ? setValue(edited, entry, value) : edited
}

const toEntry = ({ traitType: trait_type, value }: TraitEdits['set'][number]): Entry => ({
  trait_type,
  value: value ?? undefined
})

/** Changes the items of a list; undefined removes an item. The text between other items stays, and `more` come last. */
function editItems(
  data: string,
  list: Node,
  change: (item: string) => string | undefined,
  more: () => string[]
): string {
  const items = list.children ?? []
  const ends = [list.offset + 1, ...items.map(endOf)]
  const lead = items[0] ? data.slice(ends[0], items[0].offset) : ''
  let [inside, separator] = ['', `,${lead}`]
  for (const [index, node] of items.entries()) {
    const item = change(data.slice(node.offset, endOf(node)))
    if (index > 0) separator = data.slice(ends[index], node.offset)
    if (item !== undefined) inside += (inside === '' ? lead : separator) + item
  }
  for (const item of more()) inside += (inside === '' ? lead : separator) + item
  const end = endOf(list) - 1
  const isEmpty = items.length === 0 && inside !== ''
  return data.slice(0, ends[0]) + inside + data.slice(isEmpty ? end : ends.at(-1))
}

/** Finds the value of a key. Of several, JSON.parse also reads the last one. */
const findLastValue = (object: Node, key: string): Node | undefined =>
  object.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1]

const endOf = ({ offset, length }: Node): number => offset + length
