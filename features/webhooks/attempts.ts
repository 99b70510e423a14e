import type { FastifyBaseLogger } from 'fastify'
import { secondsSince } from '../../domain/timestamp.ts'
import type { Metrics } from '../../runtime/metrics/metrics.ts'
import type { WebhookMetric } from './index.ts'
import { type Failure, type Message, pausesSeconds, type StoredMessage } from './rows/deliveries.ts'
import type { Leadership } from './rows/leader.ts'
import type { StoredWebhook } from './rows/webhooks.ts'
import { openMessageSender, type WebhookResponse, type WebhookSettings } from './send.ts'

interface AttemptTools {
  metrics: Metrics
  log: FastifyBaseLogger
  leadership: Leadership
  settings: WebhookSettings
}

/** Tries to send a new or stored message. Rejects if this process must not send, or if the signal aborts. */
export type Attempt = (
  message: Message & Partial<StoredMessage>,
  signal: AbortSignal
) => Promise<{ answer: WebhookResponse; failure: Failure | undefined }>

/** Makes the attempts of a webhook, and counts them. Throws like {@link openMessageSender}. */
export async function openAttempts(
  webhook: StoredWebhook,
  { metrics, log, leadership, settings }: AttemptTools
): Promise<Attempt> {
  const durations = metrics.histogram<WebhookMetric>('webhook_attempt_duration_seconds')
  const attempts = metrics.counter<WebhookMetric>('webhook_attempts_total')
  // Counters start at zero, so that the first event is an increase.
  for (const outcome of ['delivered', 'failed', 'dead']) attempts.inc({ outcome }, 0)
  const send = await openMessageSender(webhook, settings)
  return async ({ body, position, attempts: before = 0, timeStored }, signal) => {
    if (!leadership.isHeld) throw new Error('another process may send now')
    const begun = performance.now()
    const answer = await send(body, signal)
    durations.observe((performance.now() - begun) / 1000)
    const failure = toFailure(before + 1, answer, timeStored)
    const isDead = failure?.pause === null
    attempts.inc({ outcome: isDead ? 'dead' : failure ? 'failed' : 'delivered' })
    if (isDead)
      log.warn({ webhook: webhook.id, position, reason: failure.error }, 'gave up sending a message')
    return { answer, failure }
  }
}

const maxAgeSeconds = pausesSeconds.reduce((sum, pause) => sum + pause, 0)
/** Maximum seconds of a receiver's Retry-After. It only lengthens a pause. */
const maxRetryAfterSeconds = 3600

/** The failure of a message that was not tried, because an earlier message of its template waits. */
export const notTried: Failure = { attempts: 0, error: null, pause: null }

/**
 * Returns the failure of an attempt; undefined if the message was delivered. The first attempt is 1. A message that
 * has waited for all pauses together, behind an earlier message of its template, is given up at its first failure.
 * Otherwise the queue of a template could grow faster than messages are given up.
 */
function toFailure(
  attempts: number,
  { error, retryAfter = 0 }: WebhookResponse,
  timeStored?: string
): Failure | undefined {
  if (error === null) return undefined
  const usual = pausesSeconds[attempts - 1]
  const age = timeStored === undefined ? 0 : secondsSince(timeStored)
  if (usual === undefined || age > maxAgeSeconds) return { attempts, error, pause: null }
  const varied = usual * (0.9 + Math.random() * 0.2)
  return { attempts, error, pause: Math.round(Math.max(varied, Math.min(retryAfter, maxRetryAfterSeconds))) }
}

/** Number of changes that are read at a time: at most, and at first. */
const maxBatchChanges = 100
const firstBatchChanges = 8
/** Minimum and maximum milliseconds of a rest. */
const minRestMs = 1000
const maxRestMs = 300_000

/**
 * Adapts the speed of reading changes to the receiver. While the receiver accepts nothing, it gets one change at a
 * time, more and more rarely. Otherwise, all changes would be stored as failed.
 */
export class ReceiverBackoff {
  /** Number of changes to read next. */
  batch = firstBatchChanges
  #rest = 0
  #restsUntil = 0

  get isResting(): boolean {
    return performance.now() < this.#restsUntil
  }

  /** Call it after a delivery. */
  speedUp(): void {
    this.batch = Math.min(maxBatchChanges, this.batch * 2)
    this.#rest = 0
    this.#restsUntil = 0
  }

  /** Call it if no attempt was successful. */
  slowDown(): void {
    this.batch = 1
    this.#rest = Math.min(maxRestMs, Math.max(minRestMs, this.#rest * 2))
    this.#restsUntil = performance.now() + this.#rest
  }
}
