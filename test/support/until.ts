import { setTimeout } from 'node:timers/promises'

/** Milliseconds before the second check, and at most. Other processes need the processor in between. */
const firstPause = 3
const maxPause = 25

/** Resolves when a condition holds. The longer it takes, the less often it is checked. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let pause = firstPause; !(await condition()); pause = Math.min(maxPause, pause * 1.2))
    await setTimeout(pause)
}
