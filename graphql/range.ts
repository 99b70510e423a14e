import { badInput } from './where.ts'

/** A number of an argument from 0 up to `most`; null counts as absent. Throws BAD_USER_INPUT. */
export function inRange(
  name: string,
  value: number | null | undefined,
  most = 2_147_483_647
): number | undefined {
  if (value === null || value === undefined) return undefined
  if (value < 0 || value > most) throw badInput(`${name} must be a number from 0 to ${most}`)
  return value
}
