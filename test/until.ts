import { setTimeout } from 'node:timers/promises'

/** Milliseconds between two questions. The processes that bring the answer about need the processor meanwhile. */
const pause = 3

/** Resolves when a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(pause)
}
