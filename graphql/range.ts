import { badInput } from './where.ts'

/** Returns a numeric argument; null counts as absent. Throws BAD_USER_INPUT unless it is from 0 to `most`. */
export function inRange(
  name: string,
  value: number | null | undefined,
  most = 2_147_483_647
): number | undefined {
  if (value === null || value === undefined) return undefined
  if (value < 0 || value > most) throw badInput(`${name} must be a number from 0 to ${most}`)
  return value
}
