import { setTimeout } from 'node:timers/promises'
import type { Db } from '../../db/schema.ts'
import type { ChangeFeed } from '../../db/templates/changes/feed.ts'
import { transact } from '../../db/transaction.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { type Attempt, notTried, ReceiverBackoff } from './attempts.ts'
import * as deliveries from './rows/deliveries.ts'
import { findStoredWebhook, movePosition, type StoredWebhook } from './rows/webhooks.ts'
import { toMessages } from './send.ts'
import { disableGoneWebhook } from './webhooks.ts'

type Message = deliveries.Message
type Failed = Message & deliveries.Failure

/** Maximum number of messages of a webhook that are sent at the same time: new messages, and retries. */
const maxNewMessages = 4
const maxRetriedMessages = 2
/** Milliseconds before a sender that rests or has failed continues. */
const retryIntervalMs = 1000
/** Milliseconds after which the position is stored, even if nothing was sent. */
const storeIntervalMs = 1000
/** Maximum milliseconds that a sender waits for changes at a time. */
const maxWaitMs = 60_000

interface WebhookSenderTools {
  db: Db
  feed: ChangeFeed
  attempt: Promise<Attempt>
  /** Called for the first of several errors in a row that are not the receiver's. */
  report(error: unknown): void
}

/**
 * Sends changes to one webhook: each at least once, and those of a template in their order. It follows the feed, and
 * stores messages that it cannot deliver. A message only waits for earlier messages of its template.
 */
export class WebhookSender {
  readonly webhook: StoredWebhook
  readonly #tools: WebhookSenderTools
  readonly #stopping = new AbortController()
  /** Aborts when the sender is stopped, also by itself. */
  readonly signal: AbortSignal = this.#stopping.signal
  readonly #places = new Semaphore(maxNewMessages)
  readonly #backoff = new ReceiverBackoff()
  readonly #following: Promise<void>
  #retrying: Promise<void> | undefined
  /** The last stored position, and the time of `performance.now()` at which it was stored. */
  #stored = 0
  #storedAt = 0
  #hasFailed = false

  constructor(webhook: StoredWebhook, tools: WebhookSenderTools) {
    this.webhook = webhook
    this.#tools = tools
    // An error is reported when a message is sent.
    tools.attempt.catch(() => {})
    this.#following = this.#followUntilStopped()
  }

  /** Retries the messages that are due, unless it is doing so already. */
  retry(): void {
    this.#retrying ??= this.#retryDue()
      .catch(error => this.#report(error))
      .finally(() => {
        this.#retrying = undefined
      })
  }

  /** Aborts the messages in progress. The next sender sends them again. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#following, this.#retrying])
  }

  async #followUntilStopped(): Promise<void> {
    while (!this.signal.aborted) {
      await this.#follow().catch(error => this.#report(error))
      await this.#sleep()
    }
  }

  /** Follows the feed from the stored position until it is stopped or something fails. */
  async #follow(): Promise<void> {
    const { db, feed } = this.#tools
    const { position: start } = (await findStoredWebhook(db, this.webhook.id)) ?? this.webhook
    this.#stored = start
    let position = start
    while (!this.signal.aborted) {
      if (this.#backoff.isResting) {
        await this.#sleep()
        continue
      }
      const { changes, version } = await feed.read(position, this.#backoff.batch, this.signal)
      position = changes.at(-1)?.position ?? position
      const messages = await toMessages(feed, this.webhook, changes, this.signal)
      if (messages.length > 0) await this.#deliver(messages, position)
      else if (performance.now() - this.#storedAt > storeIntervalMs) await this.#store(position)
      if (changes.length > 0) continue
      const wait = position === this.#stored ? maxWaitMs : storeIntervalMs
      await feed.wait({ position, version }, wait, this.signal)
    }
  }

  /**
   * Sends messages, with several templates at the same time. Then stores the failed messages and the new position:
   * `end` or, if the sender was stopped, the position before the first unsettled message.
   */
  async #deliver(messages: Message[], end: number): Promise<void> {
    const queues = Map.groupBy(messages, ({ templateId }) => templateId)
    const blocked = await deliveries.findBlockedTemplates(this.#tools.db, this.webhook.id, [...queues.keys()])
    const unsettled = new Set(messages)
    const failed: Failed[] = []
    const sendQueue = async ([templateId, queue]: [number, Message[]]) => {
      const leave = await this.#places.take(this.signal)
      try {
        for (const message of queue) {
          const failure = blocked.has(templateId) ? notTried : await this.#try(message)
          if (failure) failed.push({ ...message, ...failure })
          if (failure) blocked.add(templateId)
          unsettled.delete(message)
        }
      } finally {
        leave()
      }
    }
    const results = await Promise.allSettled([...queues].map(sendQueue))
    const reached = Math.min(end, ...[...unsettled].map(({ position }) => position - 1))
    await this.#store(
      reached,
      failed.filter(({ position }) => position <= reached)
    )
    throwRejected(results)
    if (failed.length < messages.length) this.#backoff.speedUp()
    else if (failed.some(({ attempts }) => attempts > 0)) this.#backoff.slowDown()
  }

  /** Sends a message; resolves to undefined if it was delivered. Rejects if the sender is stopped. */
  async #try(message: Message): Promise<deliveries.Failure | undefined> {
    const attempt = await this.#tools.attempt
    const { answer, failure } = await attempt(message, this.signal)
    if (answer.status === 410) {
      await disableGoneWebhook(this.#tools.db, this.webhook.id, answer.error ?? '')
      this.#stopNow()
    }
    return failure
  }

  async #retryDue(): Promise<void> {
    const { db } = this.#tools
    const { id } = this.webhook
    while (!this.signal.aborted) {
      const due = await deliveries.listDue(db, id, maxRetriedMessages)
      if (due.length === 0) return
      const retry = async (message: deliveries.StoredMessage) => {
        const failure = await this.#try(message)
        await transact(db, transaction => deliveries.recordAttempt(transaction, id, message, failure))
        if (!failure) this.#backoff.speedUp()
      }
      throwRejected(await Promise.allSettled(due.map(retry)))
    }
  }

  /** Stores a position, and the failed messages before it. */
  async #store(position: number, failed: Failed[] = []): Promise<void> {
    const { id } = this.webhook
    if (position !== this.#stored)
      await transact(this.#tools.db, async transaction => {
        // After a change of the rule or a replay, drops these messages. The next sender reads their changes again.
        if (!(await movePosition(transaction, this.webhook, this.#stored, position))) this.#stopNow()
        await deliveries.insertFailed(transaction, id, failed)
      })
    this.#stored = position
    this.#storedAt = performance.now()
    this.#hasFailed = false
  }

  /** Stops the sender from within. Operations in progress reject with the reason of the signal. */
  #stopNow(): never {
    this.#stopping.abort()
    throw this.signal.reason
  }

  #report(error: unknown): void {
    if (!this.signal.aborted && !this.#hasFailed) this.#tools.report(error)
    this.#hasFailed = true
  }

  async #sleep(): Promise<void> {
    await setTimeout(retryIntervalMs, undefined, { signal: this.signal, ref: false }).catch(() => {})
  }
}

function throwRejected(results: PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
