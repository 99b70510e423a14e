import type { GraphqlRequest } from '../../plugins/graphql.ts'

/** Characters of a request whose response may be kept. */
export const maxKeyLength = 2 ** 16

/**
 * Returns what the response to a request depends on besides the templates: the scope of the token, the media type and the
 * parameters, whatever their order and white space. Undefined for a request that is nested too deeply.
 */
export function toCacheKey(
  scope: string,
  type: string,
  { query, operationName, variables }: GraphqlRequest
): string | undefined {
  try {
    return canonical([scope, type, operationName ?? null, query, variables ?? {}])
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Formats a JSON value so that only equal ones have the same text, also numbers that JSON itself would change. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map(name => `${JSON.stringify(name)}:${canonical(value[name as never])}`).join()}}`
}
