import type { TemplateValues } from '../../db/templates/table/columns.ts'
import { type Column, listParts, type Part, parseObject } from '../template/parts.ts'
import { changeText } from './text-edit.ts'

export type Side = 'theirs' | 'mine'

/** A part that is not the same in both. Undefined where it is missing. */
export interface Difference {
  label: string
  base: Part | undefined
  theirs: Part | undefined
  mine: Part | undefined
  /** Who changed it; undefined if both did, in different ways. */
  changedBy: Side | undefined
}

/** Lists what differs between theirs and mine, and who of both changed it since the common ancestor. */
export function listDifferences(
  base: TemplateValues,
  theirs: TemplateValues,
  mine: TemplateValues
): Difference[] {
  const [old, they, me] = [listParts(base), listParts(theirs), listParts(mine)]
  return [...new Set([...they.keys(), ...me.keys()])]
    .filter(label => they.get(label)?.text !== me.get(label)?.text)
    .map(label => {
      const [before, theirs, mine] = [old.get(label), they.get(label), me.get(label)]
      const changedBy =
        before?.text === theirs?.text ? 'mine' : before?.text === mine?.text ? 'theirs' : undefined
      return { label, base: before, theirs, mine, changedBy }
    })
}

/** Makes the contents that were chosen: theirs, with those parts of mine. The rest of their text stays, to the byte. */
export function merge(theirs: TemplateValues, mine: TemplateValues, chosen: Difference[]): TemplateValues {
  const merged = { ...theirs }
  for (const difference of chosen) {
    const part = difference.mine ?? difference.theirs
    if (!part) continue
    if (part.where === 'data') merged.data = mine.data
    else if ('column' in part.where) setColumn(merged, part.where.column, mine)
    else if ('key' in part.where)
      merged.data = changeText(merged.data, [part.where.key], difference.mine?.value)
    else merged.data = setTrait(merged.data, part.where, difference.mine?.value)
  }
  return merged
}

function setColumn<Name extends Column>(to: TemplateValues, column: Name, from: TemplateValues): void {
  to[column] = from[column]
}

function setTrait(data: string, { trait, nth }: { trait: string; nth: number }, entry: unknown): string {
  const attributes = (parseObject(data)?.attributes ?? []) as { trait_type?: unknown }[]
  const places = attributes.flatMap((found, at) => (String(found?.trait_type) === trait ? [at] : []))
  const at = places[nth]
  if (at !== undefined && entry === undefined) return changeText(data, ['attributes', at], undefined)
  if (at !== undefined)
    return changeText(data, ['attributes', at, 'value'], (entry as { value?: unknown }).value)
  return entry === undefined ? data : changeText(data, ['attributes', attributes.length], entry, true)
}
