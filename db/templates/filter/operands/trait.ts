/** Conditions on a trait of the document: for each, an entry of the trait must meet it. */
import { isNumber } from '../../../../domain/document.ts'
import { ArgumentError } from '../../../../runtime/host-errors.ts'
import { omitNullish } from '../../../../runtime/json-values.ts'
import { engineOf } from '../../../dialects/engine.ts'
import { type Bounds, type EntryCondition, kinds, shownKinds } from '../../../dialects/template-index.ts'
import type { Db } from '../../../schema.ts'
import { toStorable, typeKeys, valueKey } from '../keys.ts'
import { compares } from './comparison.ts'
import {
  type Check,
  type Condition,
  type Contents,
  checkOperators,
  isBoolean,
  isListOf,
  isText,
  negate,
  type Operand,
  readObject,
  requireOperators
} from './operand.ts'

export interface TraitFilter {
  type: string
  /** null: the value is absent or null. */
  equals?: unknown
  in?: unknown[]
  /** A part of a string value, or an element of a list. */
  contains?: string
  /** Bounds of a number, which may be written as a text. */
  bounds?: Bounds
  /** false: the document does not have the trait. */
  exists?: boolean
}

type Operators = Required<Omit<TraitFilter, 'type'>>

/** What an entry of the trait must meet. `exists: false` is the complement of the templates that have the trait. */
const toEntryCondition: { [Name in keyof Operators]: (value: Operators[Name]) => EntryCondition } = {
  equals: value => ({ keys: keysOf([value]) }),
  in: values => ({ keys: keysOf(values) }),
  contains: part => ({ part: toStorable(part) }),
  bounds: bounds => ({ bounds }),
  exists: () => ({})
}

/** A filter treats an absent value and null alike. */
const keysOf = (values: unknown[]): string[] =>
  values.flatMap(value => (value === null ? [valueKey(undefined), valueKey(null)] : [valueKey(value)]))

/** A host may give a value that JSON does not have. It must not become another condition, or no condition. */
const isJson: Check = value =>
  JSON.stringify(value) !== undefined && (typeof value !== 'number' || Number.isFinite(value))

const checkTrait = checkOperators({
  // The meaning of a truncated name depends on the other templates.
  type: value => typeof value === 'string' && typeKeys(value).length === 1,
  equals: isJson,
  in: isListOf(isJson),
  contains: isText,
  gt: Number.isFinite,
  gte: Number.isFinite,
  lt: Number.isFinite,
  lte: Number.isFinite,
  exists: isBoolean
})

export const trait: Operand<TraitFilter> = {
  input: 'TraitFilter',
  check(given, path) {
    if (!('type' in readObject(given, path))) throw new ArgumentError(`${path}.type is missing`)
    checkTrait(given, path)
  },
  require(given, path) {
    const { equals, ...others } = given as Record<string, unknown>
    // The value null is a condition.
    requireOperators(equals === null ? others : given, path)
  },
  read: readTrait,
  plan: (db, filter) =>
    splitTrait(filter).map(({ condition, isNegated }) => {
      const planned = planEntry(db, filter.type, condition)
      return isNegated ? negate(planned) : planned
    }),
  matches(contents, filter) {
    const keys = listKeys(contents, filter.type)
    return splitTrait(filter).every(
      ({ condition, isNegated }) => keys.some(key => meets(key, condition)) !== isNegated
    )
  },
  accessPath: 'templateIndex'
}

/** `equals: null` is a condition. */
function readTrait({ equals, gt, gte, lt, lte, ...more }: Record<string, unknown>): TraitFilter {
  const bounds = omitNullish({ gt, gte, lt, lte })
  return {
    ...omitNullish(more),
    ...(equals !== undefined && { equals }),
    ...(Object.keys(bounds).length > 0 && { bounds })
  } as unknown as TraitFilter
}

/** Splits a filter into conditions that must all hold; without any, the trait must exist. */
function splitTrait({ type: _, ...operators }: TraitFilter) {
  const all = Object.keys(operators).length > 0 ? operators : { exists: true }
  return Object.entries(all).map(([name, value]) => ({
    condition: toEntryCondition[name as keyof Operators](value as never),
    isNegated: name === 'exists' && value === false
  }))
}

/** Keys that are looked up in the time of one look-up, because they are near each other. */
const keysPerLookUp = 10

function planEntry(db: Db, type: string, condition: EntryCondition): Condition {
  const { traits } = engineOf(db)
  const { keys, part, bounds } = condition
  const isRead = part !== undefined || bounds !== undefined
  return {
    test: traits.test(typeKeys(type), condition),
    // The texts of values are read, and their keys are looked up.
    costPerRow: isRead ? 2 : Math.max(1, (keys?.length ?? 0) / keysPerLookUp),
    ids: traits.find(typeKeys(type), condition),
    canStopEarly: !isRead
  }
}

/** Returns the keys of the values that a template has of a trait. */
function listKeys({ entry, knownNames }: Contents, type: string): string[] {
  const [first, second] = typeKeys(type) as [string, string?]
  const storedName = second === undefined || knownNames.has(first) ? first : second
  return entry.traits.filter(({ type }) => type === storedName).map(({ key }) => key)
}

/** Whether the key of a value meets a condition. */
const meets = (key: string, { keys, part, bounds }: EntryCondition): boolean =>
  (keys === undefined || keys.includes(key)) &&
  (part === undefined || hasPart(key, part)) &&
  (bounds === undefined || hasNumberWithin(key, bounds))

const hasPart = (key: string, part: string): boolean =>
  key === kinds.ELEMENT + part || (key.startsWith(kinds.STRING) && key.slice(1).includes(part))

function hasNumberWithin(key: string, bounds: Bounds): boolean {
  const text = key.slice(1)
  const isShown = shownKinds.some(kind => key.startsWith(kind))
  return isShown && isNumber(text) && compares(Number(text.replace(',', '.')), bounds)
}
