import { ArgumentError } from '../../runtime/host-errors.ts'

/** Maximum seconds for which a replaced secret also works: 30 days. */
export const maxOverlap = 2_592_000

/** Checks the number of seconds for which the old secret also works. Throws ArgumentError. */
export function checkOverlap(overlap: number): void {
  if (!(Number.isInteger(overlap) && overlap >= 0 && overlap <= maxOverlap))
    throw new ArgumentError(`overlap must be an integer from 0 to ${maxOverlap}`)
}
