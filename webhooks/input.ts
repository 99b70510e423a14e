import { type Static, Type } from 'typebox'
import { readRule } from '../db/templates/rules/rule.ts'
import { webhookEvents } from '../db/webhooks/webhooks.ts'
import { ArgumentError } from '../errors.ts'
import { checkArgument } from '../validator.ts'

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
/** A webhook to add. */
export const NewWebhook = Type.Object(values, { additionalProperties: false })
export type NewWebhook = Static<typeof NewWebhook>
/** What to change of a webhook. */
export const WebhookChange = Type.Object(
  { ...values, url: Type.Optional(values.url) },
  { additionalProperties: false }
)
export type WebhookChange = Static<typeof WebhookChange>

/** Returns the values of a webhook. Throws ArgumentError for wrong ones. */
export function checkWebhook<S extends typeof NewWebhook | typeof WebhookChange>(
  schema: S,
  given: Static<S>
): Static<S> {
  const checked = checkArgument('webhook', schema, given)
  if (checked.where) readRule(checked.where, 'webhook: where')
  const url = checked.url === undefined ? undefined : URL.parse(checked.url)
  if (url === null || url?.username || url?.password)
    throw new ArgumentError(`webhook: url must be ${urlForm}`)
  return checked
}
