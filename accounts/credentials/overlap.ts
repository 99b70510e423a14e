import { ArgumentError } from '../../runtime/host-errors.ts'

/** Maximum seconds for which a replaced secret also works: 30 days. */
export const maxOverlap = 2_592_000

/** Checks the number of seconds for which the old secret also works. Throws ArgumentError. */
export function checkOverlap(keepOld: number): void {
  if (!(Number.isInteger(keepOld) && keepOld >= 0 && keepOld <= maxOverlap))
    throw new ArgumentError(`keepOld must be an integer from 0 to ${maxOverlap}`)
}
