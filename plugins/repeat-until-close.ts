import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Milliseconds until the next round after one that has failed. */
const pauseAfterFailure = 10_000

/**
 * Repeats a round while the server runs. The first round begins after `wait` milliseconds. Closing waits for the round
 * in progress. A round resolves with the milliseconds until the next one. If it rejects, the error is logged and the
 * next round comes later. A round should end early when the signal aborts.
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
      if (signal.aborted) return
      next = await round(signal).catch(err => {
        if (!signal.aborted) app.log.error({ err }, 'background work failed')
        return pauseAfterFailure
      })
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
