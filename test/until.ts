import { setTimeout } from 'node:timers/promises'

/** Milliseconds between two checks. Other processes need the processor in between. */
const pause = 3

/** Resolves when a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(pause)
}
