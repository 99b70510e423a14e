import { randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { KeySecrets } from '../credentials/signing-key.ts'
import { type AuditAction, type AuditActor, noActor, recordEvent } from '../db/audit/record.ts'
import type { Db } from '../db/schema.ts'
import { findLatestPosition } from '../db/templates/revisions/changes.ts'
import { readRule } from '../db/templates/rules/rule.ts'
import { transact } from '../db/transaction.ts'
import { readDeliveryStates } from '../db/webhooks/deliveries.ts'
import {
  deleteWebhook,
  findStoredWebhook,
  insertWebhook,
  listStoredWebhooks,
  type StoredWebhook,
  updateStoredWebhook,
  updateWebhookSecret,
  webhookEvents
} from '../db/webhooks/webhooks.ts'
import { ArgumentError, accountMissing } from '../errors.ts'
import { toBlockList } from '../outgoing/networks.ts'
import { checkArgument } from '../validator.ts'
import { generateWebhookSecret, openWebhookSecrets, sealWebhookSecret } from './secrets.ts'
import { type Answer, sendMessage } from './send.ts'

/** A webhook, and the state of its deliveries. */
export interface Webhook extends Omit<StoredWebhook, 'secrets' | 'position' | 'timeModified'> {
  /** Changes in the feed that it has not come to. */
  behind: number
  /** Messages that are tried again, or wait for one that is. */
  waiting: number
  /** Messages that are not tried any more. */
  dead: number
  /** Why the last failed message of these failed. */
  lastError: string | null
}

/** Each is followed by itself; this limits the connections in all. */
const maxWebhooks = 100
/** The longest time in which an old secret signs too, in seconds: 30 days. */
export const longestOverlap = 2_592_000
export const defaultOverlap = 86_400

const urlForm = 'an http(s) URL without user and fragment'

const values = {
  url: Type.String({
    maxLength: 2000,
    pattern: '^https?://[^\\s#\\\\]+$',
    description: urlForm
  }),
  where: Type.Optional(
    Type.Union([Type.Object({}), Type.Null()], { description: 'an object like `where` in the API, or null' })
  ),
  events: Type.Optional(
    Type.Array(Type.Enum([...webhookEvents]), {
      minItems: 1,
      uniqueItems: true,
      description: `a list of some of ${webhookEvents.join(', ')}`
    })
  )
}
const NewWebhook = Type.Object(values, { additionalProperties: false })
export type NewWebhook = Static<typeof NewWebhook>
const WebhookChange = Type.Object(
  { ...values, url: Type.Optional(values.url) },
  { additionalProperties: false }
)
export type WebhookChange = Static<typeof WebhookChange>

/**
 * Adds a webhook for the changes from now on: those of all templates and of all kinds by default. Returns its secret, which
 * nothing shows later. Rejects with ArgumentError for wrong values.
 */
export async function addWebhook(
  db: Db,
  given: NewWebhook,
  secrets: KeySecrets = {},
  actor = noActor
): Promise<{ webhook: Webhook; secret: string }> {
  const { url, where = null, events = [...webhookEvents] } = check(NewWebhook, given)
  const secret = generateWebhookSecret()
  const sealed = await sealWebhookSecret(secret, secrets)
  const position = await findLatestPosition(db)
  const id = `wh_${randomBytes(8).toString('hex')}`
  await transact(db, async transaction => {
    if ((await listStoredWebhooks(transaction)).length >= maxWebhooks)
      throw new ArgumentError(`there may be at most ${maxWebhooks} webhooks`)
    await insertWebhook(transaction, { id, url, where, events, secret: sealed, position })
    await recordEvent(transaction, actor, 'webhook.add', id, withoutPath({ url, where, events }))
  })
  return { webhook: await requireWebhook(db, id), secret }
}

function check<S extends typeof NewWebhook | typeof WebhookChange>(schema: S, given: Static<S>): Static<S> {
  const checked = checkArgument('webhook', schema, given)
  if (checked.where) readRule(checked.where, 'webhook: where')
  const url = checked.url === undefined ? undefined : URL.parse(checked.url)
  if (url === null || url?.username || url?.password)
    throw new ArgumentError(`webhook: url must be ${urlForm}`)
  return checked
}

/** Lists all webhooks, oldest first. */
export async function listWebhooks(db: Db): Promise<Webhook[]> {
  const states = await readDeliveryStates(db)
  const latest = await findLatestPosition(db)
  return (await listStoredWebhooks(db)).map(
    ({ secrets: _, timeModified: _modified, position, ...webhook }) => {
      const { waiting = 0, dead = 0, lastError = null } = states.find(({ id }) => id === webhook.id) ?? {}
      return { ...webhook, behind: Math.max(0, latest - position), waiting, dead, lastError }
    }
  )
}

export const findWebhook = async (db: Db, id: string): Promise<Webhook | undefined> =>
  (await listWebhooks(db)).find(webhook => webhook.id === id)

/** Rejects with AccountError if there is no such webhook. */
export async function requireWebhook(db: Db, id: string): Promise<Webhook> {
  const webhook = await findWebhook(db, id)
  if (!webhook) throw accountMissing(`webhook ${id}`)
  return webhook
}

/** Changes the given values; what waits already is sent to the new address. Rejects like {@link addWebhook}. */
export async function updateWebhook(
  db: Db,
  id: string,
  given: WebhookChange,
  actor = noActor
): Promise<Webhook> {
  const values = check(WebhookChange, given)
  await changeWebhook(db, id, ['webhook.update', actor, withoutPath(values)], transaction =>
    updateStoredWebhook(transaction, id, values)
  )
  return requireWebhook(db, id)
}

/** What is recorded of a webhook: of its URL the origin alone, because the rest is often a secret of the receiver. */
const withoutPath = ({ url, ...values }: WebhookChange): object => ({
  ...(url !== undefined && { origin: new URL(url).origin }),
  ...values
})

/** Disables a webhook: nothing is sent, and nothing is lost. */
export const disableWebhook = (db: Db, id: string, actor = noActor): Promise<void> =>
  changeWebhook(db, id, ['webhook.disable', actor], transaction =>
    updateStoredWebhook(transaction, id, { disabled: true })
  )

/** Enables a webhook; it goes on where it was. */
export const enableWebhook = (db: Db, id: string, actor = noActor): Promise<void> =>
  changeWebhook(db, id, ['webhook.enable', actor], transaction =>
    updateStoredWebhook(transaction, id, { disabled: false })
  )

/** Removes a webhook with what waits for it. */
export const removeWebhook = (db: Db, id: string, actor = noActor): Promise<void> =>
  changeWebhook(db, id, ['webhook.remove', actor], transaction => deleteWebhook(transaction, id))

/**
 * Replaces the secret of a webhook and returns the new one. For `keepOld` seconds, messages have the signature of the old
 * one too.
 */
export async function replaceWebhookSecret(
  db: Db,
  id: string,
  { keepOld = defaultOverlap, ...secrets }: KeySecrets & { keepOld?: number } = {},
  actor = noActor
): Promise<string> {
  if (!(Number.isInteger(keepOld) && keepOld >= 0 && keepOld <= longestOverlap))
    throw new ArgumentError(`keepOld must be an integer from 0 to ${longestOverlap}`)
  const secret = generateWebhookSecret()
  const sealed = await sealWebhookSecret(secret, secrets)
  await changeWebhook(db, id, ['webhook.replace_secret', actor, { keepOld }], transaction =>
    updateWebhookSecret(transaction, id, sealed, keepOld)
  )
  return secret
}

/** Sends a message of the type `webhook.test` once, and returns the answer. */
export async function testWebhook(
  db: Db,
  id: string,
  { webhookPrivateNetworks = '', ...secrets }: KeySecrets & { webhookPrivateNetworks?: string } = {}
): Promise<Answer> {
  const stored = await findStoredWebhook(db, id)
  if (!stored) throw accountMissing(`webhook ${id}`)
  const keys = await openWebhookSecrets(stored.secrets, secrets)
  const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: {} })
  const allowed = toBlockList(webhookPrivateNetworks)
  return sendMessage({ id, url: stored.url, keys, allowed }, body, new AbortController().signal)
}

/** Changes a webhook and records it. Rejects with AccountError if there is no such webhook. */
export const changeWebhook = (
  db: Db,
  id: string,
  [action, actor, details]: [action: AuditAction, actor: AuditActor, details?: object],
  job: (transaction: Db, webhook: StoredWebhook) => Promise<unknown>
): Promise<void> =>
  transact(db, async transaction => {
    const webhook = await findStoredWebhook(transaction, id)
    if (!webhook) throw accountMissing(`webhook ${id}`)
    await recordEvent(transaction, actor, action, id, details)
    await job(transaction, webhook)
  })
