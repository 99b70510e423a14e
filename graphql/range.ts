import { badInput } from './where.ts'

/** Sizes of pages and other lists: the default if the argument is absent, and the maximum. */
export const sizes = {
  products: { usual: 50, most: 100 },
  changes: { usual: 100, most: 1000 },
  revisions: { usual: 20, most: 100 },
  /** Values per trait. */
  values: { usual: 10, most: 100 }
} as const

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
