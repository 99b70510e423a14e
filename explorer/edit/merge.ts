import type { TemplateValues } from '../../domain/columns.ts'
import { parseObject } from '../../runtime/json-values.ts'
import {
  copyOf,
  isCopy,
  listParts,
  nameOf,
  type Part,
  type PartPath,
  type TraitPlace
} from '../template/parts.ts'
import { changeText } from './text-edit.ts'

export type Side = 'theirs' | 'mine'

/** A part that differs between both sides. A side is undefined if it lacks the part. */
export interface Difference {
  label: string
  base: Part | undefined
  theirs: Part | undefined
  mine: Part | undefined
  /** My copy of the part in the document, if the same choice decides about it. */
  copy: Part | undefined
  /** The side that changed the part; undefined if both changed it. */
  changedBy: Side | undefined
}

/** Lists the differences between both sides, and which side changed each since the base revision. */
export function listDifferences(
  base: TemplateValues,
  theirs: TemplateValues,
  mine: TemplateValues
): Difference[] {
  const [old, they, me] = [listParts(base), listParts(theirs), listParts(mine)]
  return [...new Set([...they.keys(), ...me.keys()])]
    .filter(label => they.get(label)?.text !== me.get(label)?.text && !isCopy(label, old, they, me))
    .map(label => {
      const [before, theirs, mine] = [old.get(label), they.get(label), me.get(label)]
      const changedBy =
        before?.text === theirs?.text ? 'mine' : before?.text === mine?.text ? 'theirs' : undefined
      const copy = copyOf(label)
      return {
        ...{ label, base: before, theirs, mine, changedBy },
        copy: isCopy(copy, old, they, me) ? me.get(copy) : undefined
      }
    })
}

/** Merges the chosen parts of mine into theirs. All other bytes stay as they are in theirs. */
export function merge(theirs: TemplateValues, mine: TemplateValues, chosen: Difference[]): TemplateValues {
  let merged = theirs
  for (const { mine: part, theirs, copy } of chosen) {
    const { where } = part ?? theirs ?? {}
    if (where) merged = setPart(merged, where, where === 'data' ? mine.data : part?.value)
    if (copy) merged = setPart(merged, copy.where, copy.value)
  }
  return { ...merged }
}

/** Sets a part of a template; undefined removes it. `value` is like {@link Part.value}. All other bytes stay. */
export function setPart(contents: TemplateValues, where: PartPath, value: unknown): TemplateValues {
  const { data } = contents
  if (where === 'data') return { ...contents, data: String(value) }
  if ('column' in where) return { ...contents, [where.column]: value }
  if ('key' in where) return { ...contents, data: changeText(data, [where.key], value) }
  return { ...contents, data: setTrait(data, where, value) }
}

function setTrait(data: string, { trait, nth }: TraitPlace, entry: unknown): string {
  const attributes = (parseObject(data)?.attributes ?? []) as unknown[]
  const places = attributes.flatMap((found, at) => (nameOf(found) === trait ? [at] : []))
  const at = places[nth]
  if (at !== undefined && (entry === undefined || trait === undefined))
    return changeText(data, ['attributes', at], entry)
  if (at !== undefined)
    return changeText(data, ['attributes', at, 'value'], (entry as { value?: unknown }).value)
  return entry === undefined ? data : changeText(data, ['attributes', attributes.length], entry, true)
}
