import { array, oneOf, sized } from 'decoders'
import { readRule } from '../../db/templates/rule.ts'
import { ArgumentError } from '../../runtime/host-errors.ts'
import {
  anyObject,
  checkArgument,
  limited,
  matches,
  nullish,
  optional,
  type Shaped
} from '../../runtime/validator.ts'
import { webhookEvents } from './rows/webhooks.ts'

const urlForm = 'an http(s) URL without user and fragment'

const url = limited(matches(/^https?:\/\/[^\s#\\]+$/), 2000)
const events = sized(array(oneOf([...webhookEvents])), { min: 1 })

/** A webhook to add. */
export const NewWebhook = {
  url: url.describe(urlForm),
  where: nullish(anyObject).describe('an object like `where` in the API, or null'),
  events: optional(events.refine(list => new Set(list).size === list.length, '')).describe(
    `a list of some of ${webhookEvents.join(', ')}`
  )
}
export type NewWebhook = Shaped<typeof NewWebhook>
/** The values of a webhook to change. */
export const WebhookChange = { ...NewWebhook, url: optional(url).describe(urlForm) }
export type WebhookChange = Shaped<typeof WebhookChange>

/** Checks and returns the values of a webhook. Throws ArgumentError. */
export function checkWebhook<S extends typeof NewWebhook | typeof WebhookChange>(
  schema: S,
  given: Shaped<S>
): Shaped<S> {
  const checked = checkArgument('webhook', schema, given)
  if (checked.where) readRule(checked.where)
  const url = checked.url === undefined ? undefined : URL.parse(checked.url)
  if (url === null || url?.username || url?.password) {
    const message = `url must be ${urlForm}`
    throw new ArgumentError(`webhook: ${message}`, [{ name: 'url', message }])
  }
  return checked
}
