import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Repeats a round while the server runs. The first round begins after `wait` milliseconds. Closing waits for the
 * round in progress. A round resolves with the milliseconds until the next one. It must not reject, and should end
 * early when the signal aborts.
 */
export function repeatUntilClose(
  app: FastifyInstance,
  round: (signal: AbortSignal) => Promise<number>,
  wait = 0
): void {
  const closing = new AbortController()
  const { signal } = closing
  const repeat = async () => {
    let next = wait
    while (!signal.aborted) {
      await setTimeout(next, undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted) next = await round(signal)
    }
  }
  let running: Promise<void> | undefined
  app.addHook('onReady', async () => {
    running = repeat()
  })
  app.addHook('onClose', async () => {
    closing.abort()
    await running
  })
}
