import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Repeats a round from the start of a server until it closes. Closing waits for the round in progress. A round resolves
 * with the milliseconds until the next one; it must not reject, and should end early when the signal is aborted.
 */
export function repeatUntilClose(
  app: FastifyInstance,
  round: (signal: AbortSignal) => Promise<number>
): void {
  const closing = new AbortController()
  const { signal } = closing
  const repeat = async () => {
    while (!signal.aborted) {
      const wait = await round(signal)
      await setTimeout(wait, undefined, { signal, ref: false }).catch(() => {})
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
