import { setTimeout } from 'node:timers/promises'

/** Milliseconds before the second check, and at most. Other processes need the processor in between. */
const firstPause = 3
const maxPause = 25
/** Seconds to wait for a condition. A test waits for milliseconds, on a busy machine for some seconds or minutes. */
const deadline = 300

/**
 * Resolves when a condition holds. The longer it takes, the less often it is checked. Rejects after five minutes; the
 * error shows the condition's code.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + deadline * 1000
  for (let pause = firstPause; !(await condition()); pause = Math.min(maxPause, pause * 1.2)) {
    if (performance.now() > end) throw new Error(`waited ${deadline} seconds for: ${condition}`)
    await setTimeout(pause)
  }
}
