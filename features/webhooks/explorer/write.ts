import { runMutation } from '../../../explorer/admin/mutation.ts'
import type { Webhook, WebhookEvent } from '../../../packages/client/schema.ts'

const errors = 'userErrors { code message path }'

/** A webhook as typed. */
export interface WebhookInput {
  url: string
  /** `{}`: all templates. */
  where: object
  events: WebhookEvent[]
}

export const addWebhook = (input: WebhookInput) =>
  runMutation<{ webhook: Webhook; secret: string }>(
    `mutation AddWebhook($input: AddWebhookInput!) { addWebhook(input: $input) { secret webhook { id } ${errors} } }`,
    { input }
  )

export const updateWebhook = (id: string, input: Partial<WebhookInput> & { disabled?: boolean }) =>
  runMutation(
    `mutation UpdateWebhook($id: ID!, $input: UpdateWebhookInput!) {
      updateWebhook(id: $id, input: $input) { ${errors} } }`,
    { id, input }
  )

export const testWebhook = (id: string) =>
  runMutation<{ status: number | null; error: string | null }>(
    `mutation TestWebhook($id: ID!) { testWebhook(id: $id) { status error ${errors} } }`,
    { id }
  )

/** Sends messages again: those that wait, with `dead` also those that were given up, with `since` all changes since. */
export const replayWebhook = (id: string, what: { since?: string; dead?: boolean }) =>
  runMutation(
    `mutation ReplayWebhook($id: ID!, $since: String, $dead: Boolean) {
      replayWebhook(id: $id, since: $since, dead: $dead) { ${errors} } }`,
    { id, ...what }
  )

export const rotateSecret = (id: string) =>
  runMutation<{ secret: string }>(
    `mutation RotateWebhookSecret($id: ID!) { rotateWebhookSecret(id: $id) { secret ${errors} } }`,
    { id }
  )

export const deleteWebhook = (id: string) =>
  runMutation(`mutation DeleteWebhook($id: ID!) { deleteWebhook(id: $id) { ${errors} } }`, { id })
