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

/**
 * Limits of an envelope. The SDK describes each wrong value, and takes 7 microseconds for a key. A client describes
 * itself in a few dozen values.
 */
export const envelopeLimits = { values: 500, levels: 20, names: 500 }
/** Maximum characters of an envelope, which may have the icon of a client. */
export const maxEnvelopeLength = 2 ** 16
/** Limits of the arguments of a tool. */
export const argumentLimits = { values: 10_000, levels: 100, names: 10_000 }
