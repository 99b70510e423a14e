export type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All
) => void
  ? All
  : never

/**
 * Joins records of parts that do not know each other, such as features. Throws if two records have the same name: one
 * of the parts would silently not work. `what` is the plural of what has the names, for the message.
 */
export function join<Records extends (object | undefined)[]>(
  what: string,
  ...records: Records
): Intersection<NonNullable<Records[number]>> {
  const joined = new Map<string, unknown>()
  for (const [name, value] of records.flatMap(record => Object.entries(record ?? {}))) {
    if (joined.has(name)) throw new Error(`there are two ${what} ${name}`)
    joined.set(name, value)
  }
  return Object.fromEntries(joined) as Intersection<NonNullable<Records[number]>>
}
