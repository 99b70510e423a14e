/** Conditions on a trait of the document: for each, an entry of the trait must meet it. */
import { dateIn, isNumber } from '../../../../domain/document.ts'
import { isDate } from '../../../../domain/timestamp.ts'
import { ArgumentError } from '../../../../runtime/host-errors.ts'
import { isObject, omitNullish } from '../../../../runtime/json-values.ts'
import { engineOf } from '../../../dialects/engine.ts'
import { type Bounds, type EntryCondition, kinds, shownKinds } from '../../../dialects/template-index.ts'
import type { Db } from '../../../schema.ts'
import { toStorable, typeKey, valueKey } from '../keys.ts'
import { boundsOf, compares } from './comparison.ts'
import {
  type Check,
  type Condition,
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
  /** Made by `typeKey`. */
  type: string
  /** Each of them must be met by an entry of the trait. */
  conditions: EntryCondition[]
  /** Whether the document must not have the trait. */
  isAbsent: boolean
}

/** A filter treats an absent value and null alike. */
const keysOf = (values: unknown[]): string[] =>
  values.flatMap(value => (value === null ? [valueKey(undefined), valueKey(null)] : [valueKey(value)]))

/** A host may give a value that JSON does not have. It must not become another condition, or no condition. */
const isJson: Check = value =>
  JSON.stringify(value) !== undefined && (typeof value !== 'number' || Number.isFinite(value))

const checkTrait = checkOperators({
  type: isText,
  equals: isJson,
  in: isListOf(isJson),
  contains: isText,
  ...boundsOf(Number.isFinite),
  date: isObject,
  exists: isBoolean
})

const checkDates = checkOperators(boundsOf(isText))

export const trait: Operand<TraitFilter> = {
  input: 'TraitFilter',
  check(input, path) {
    const { type, date } = readObject(input, path)
    if (type === undefined) throw new ArgumentError(`${path}.type is missing`)
    checkTrait(input, path)
    if (date !== undefined) checkDates(date, `${path}.date`)
  },
  require(input, path) {
    const { equals, ...others } = input as Record<string, unknown>
    // The value null is a condition.
    requireOperators(equals === null ? others : input, path)
    if (others.date !== undefined) requireOperators(others.date, `${path}.date`)
  },
  read: readTrait,
  plan: (db, { type, conditions, isAbsent }) => [
    ...conditions.map(condition => planEntry(db, type, condition)),
    ...(isAbsent ? [negate(planEntry(db, type, {}))] : [])
  ],
  matches({ entry }, { type, conditions, isAbsent }) {
    const keys = entry.traits.filter(trait => trait.type === type).map(({ key }) => key)
    const areMet = conditions.every(condition => keys.some(key => meets(key, condition)))
    return areMet && !(isAbsent && keys.length > 0)
  },
  accessPath: 'templateIndex'
}

/** `equals: null` is a condition. Without any condition, the trait must exist. */
function readTrait({ equals, gt, gte, lt, lte, date, ...more }: Record<string, unknown>): TraitFilter {
  const { type, in: list, contains, exists } = omitNullish(more)
  const bounds: Bounds<number> = omitNullish({ gt, gte, lt, lte })
  const dates = readDateBounds(date ?? {})
  const conditions: EntryCondition[] = []
  if (equals !== undefined) conditions.push({ keys: keysOf([equals]) })
  if (list !== undefined) conditions.push({ keys: keysOf(list as unknown[]) })
  if (contains !== undefined) conditions.push({ part: toStorable(contains as string) })
  if (Object.keys(bounds).length > 0) conditions.push({ bounds })
  if (Object.keys(dates).length > 0) conditions.push({ dates })
  const isAbsent = exists === false
  if (exists === true || (conditions.length === 0 && !isAbsent)) conditions.push({})
  return { type: typeKey(type as string), conditions, isAbsent }
}

function readDateBounds(input: object): Bounds<string> {
  const dates: Bounds<string> = omitNullish(input)
  for (const date of Object.values(dates))
    if (!isDate(date)) throw new ArgumentError('a date must exist and have the form YYYY-MM-DD')
  return dates
}

/** Keys that are looked up in the time of one look-up, because they are near each other. */
const keysPerLookUp = 10

function planEntry(db: Db, type: string, condition: EntryCondition): Condition {
  const { traits } = engineOf(db)
  const { keys, part, bounds, dates } = condition
  const isRead = part !== undefined || bounds !== undefined || dates !== undefined
  return {
    test: traits.test(type, condition),
    // The texts of values are read, and their keys are looked up.
    lookUpsPerRow: isRead ? 2 : Math.max(1, (keys?.length ?? 0) / keysPerLookUp),
    ids: traits.find(type, condition),
    canStopEarly: !isRead
  }
}

/** Whether the key of a value meets a condition. */
const meets = (key: string, { keys, part, bounds, dates }: EntryCondition): boolean =>
  (keys === undefined || keys.includes(key)) &&
  (part === undefined || hasPart(key, part)) &&
  (bounds === undefined || hasNumberWithin(key, bounds)) &&
  (dates === undefined || hasDateWithin(key, dates))

const hasPart = (key: string, part: string): boolean =>
  key === kinds.ELEMENT + part || (key.startsWith(kinds.STRING) && key.slice(1).includes(part))

function hasNumberWithin(key: string, bounds: Bounds<number>): boolean {
  const text = key.slice(1)
  const isShown = shownKinds.some(kind => key.startsWith(kind))
  return isShown && isNumber(text) && compares(Number(text.replace(',', '.')), bounds)
}

/** Only the key of a text begins with a date. */
function hasDateWithin(key: string, dates: Bounds<string>): boolean {
  const date = dateIn(key.slice(1))
  return date !== undefined && compares(date, dates)
}
