import { isDeepStrictEqual } from 'node:util'
import { applyEdits, modify, type Node, parseTree } from 'jsonc-parser'
import { isObject } from './document.ts'

/** Traits to set and the names of those to remove. A name is not in both. */
export interface TraitEdits {
  set: { traitType: string; value?: unknown }[]
  remove: string[]
}

/**
 * Sets and removes traits in the text of a document; the rest of the text stays, byte for byte. A trait that occurs several
 * times is set where it occurs first, and removed everywhere; a new one comes last. Returns undefined if the text is not a
 * JSON object, or its `attributes` are no list.
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
  const list = root.children?.findLast(({ children }) => children?.[0]?.value === 'attributes')?.children?.[1]
  const removed = new Set<unknown>(remove)
  const missing = new Map(set.map(trait => [trait.traitType, trait]))
  const change = (item: string): string | undefined => {
    const entry: unknown = JSON.parse(item)
    const type = isObject(entry) ? entry.trait_type : undefined
    if (removed.has(type)) return undefined
    const trait = missing.get(type as string)
    if (!trait || !missing.delete(trait.traitType)) return item
    return setValue(item, entry as object, trait.value)
  }
  if (!list) return append(data, Array.from(missing.values(), toEntry))
  if (list.type !== 'array') return undefined
  const items = (list.children ?? []).map(node => data.slice(node.offset, endOf(node)))
  const kept = items.map(change).filter(item => item !== undefined)
  return replaceItems(data, list, [...kept, ...Array.from(missing.values(), toEntry)])
}

function setValue(item: string, entry: object, value: unknown): string {
  const wanted = JSON.parse(JSON.stringify({ ...entry, value }))
  if (isDeepStrictEqual(wanted, entry)) return item
  const edited = applyEdits(item, modify(item, ['value'], value, {}))
  // Of a key that occurs twice, JSON.parse reads the last one.
  return isDeepStrictEqual(JSON.parse(edited), wanted) ? edited : JSON.stringify(wanted)
}

const toEntry = ({ traitType: trait_type, value }: TraitEdits['set'][number]): string =>
  JSON.stringify({ trait_type, value })

const append = (data: string, entries: string[]): string =>
  entries.length === 0
    ? data
    : applyEdits(
        data,
        modify(
          data,
          ['attributes'],
          entries.map(text => JSON.parse(text)),
          {}
        )
      )

/** Writes the items of a list with the white space that is around its items. */
function replaceItems(data: string, list: Node, items: string[]): string {
  const [first, second] = list.children ?? []
  const [start, end] = [list.offset + 1, endOf(list) - 1]
  if (!first) return data.slice(0, start) + items.join(',') + data.slice(items.length > 0 ? end : start)
  const lead = data.slice(start, first.offset)
  const separator = second ? data.slice(endOf(first), second.offset) : `,${lead}`
  const tail = data.slice(endOf(list.children?.at(-1) as Node), end)
  const inside = items.length > 0 ? lead + items.join(separator) + tail : ''
  return data.slice(0, start) + inside + data.slice(end)
}

const endOf = ({ offset, length }: Node): number => offset + length
