import { isObject } from '../../runtime/json-values.ts'

/** A message whose arguments of a tool are set apart, because the SDK would check each of their values. */
export interface Message {
  /** The message without these arguments, for the SDK. */
  envelope: unknown
  /** The arguments of a tool; undefined without any. */
  given: unknown
}

export function splitMessage(message: unknown): Message {
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params))
    return { envelope: message, given: undefined }
  const { arguments: given, ...params } = message.params
  return { envelope: { ...message, params }, given }
}

interface Limits {
  values: number
  levels: number
}

/**
 * Limits of an envelope. The SDK describes each wrong value, and takes 7 microseconds for a key. A client describes
 * itself in a few dozen values.
 */
export const envelopeLimits: Limits = { values: 500, levels: 20 }
/** Maximum characters of an envelope, which may have the icon of a client. */
export const maxEnvelopeLength = 2 ** 16
/** Limits of the arguments of a tool. */
export const argumentLimits: Limits = { values: 10_000, levels: 100 }

/** Describes how a value exceeds limits; undefined if it does not. */
export function findExcess(value: unknown, { values, levels }: Limits): string | undefined {
  let found = 0
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levels) return `more than ${levels} levels`
    const inner: object[] = []
    for (const each of level) {
      // Counts keys first, because listing the values of a large object takes much longer.
      found += Array.isArray(each) ? each.length : Object.keys(each).length
      if (found > values) return `more than ${values} values`
      for (const one of Object.values(each)) if (isContainer(one)) inner.push(one)
    }
    level = inner
  }
  return undefined
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null
