/** Parses JSON so that JSON.stringify writes each number exactly as it was, even if no JavaScript number equals it. */
export function parseExactly(text: string): Record<string, unknown> {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && JSON.stringify(value) !== source ? json.rawJSON(source as string) : value
  )
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

// TypeScript's library does not have them yet.
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): Record<string, unknown>
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}

export const { isRawJSON } = json
