import { type RawBuilder, sql } from 'kysely'

/** A statement as Kysely logged it. */
export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** Rebuilds a statement with its parameters, to embed it in another statement. */
export function restate({ sql: text, parameters }: Statement): RawBuilder<unknown> {
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1)
  const parts = text.split(numbers.length > 0 ? /\$\d+/ : /\?/)
  const values = numbers.length > 0 ? numbers.map(number => parameters[number]) : parameters
  const bound = parts.slice(1).map((part, index) => sql`${values[index]}${sql.raw(part)}`)
  return sql`${sql.raw(parts[0] ?? '')}${sql.join(bound, sql``)}`
}
