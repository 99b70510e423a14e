import { runMutation } from '../../../explorer/admin/mutation.ts'
import type { AddWebhookInput, UpdateWebhookInput } from '../../../packages/client/schema.ts'

export const addWebhook = (input: AddWebhookInput) =>
  runMutation<{ secret: string }>('addWebhook', { input: ['AddWebhookInput!', input] }, 'secret')

export const updateWebhook = (id: string, input: UpdateWebhookInput) =>
  runMutation('updateWebhook', { id: ['ID!', id], input: ['UpdateWebhookInput!', input] })

export const testWebhook = (id: string) =>
  runMutation<{ status: number | null; error: string | null }>(
    'testWebhook',
    { id: ['ID!', id] },
    'status error'
  )

/** Sends messages again: those that wait, with `dead` also those that were given up, with `since` all changes since. */
export const replayWebhook = (id: string, { since, dead }: { since?: string; dead?: boolean }) =>
  runMutation('replayWebhook', { id: ['ID!', id], since: ['String', since], dead: ['Boolean', dead] })

export const rotateSecret = (id: string) =>
  runMutation<{ secret: string }>('rotateWebhookSecret', { id: ['ID!', id] }, 'secret')

export const deleteWebhook = (id: string) => runMutation('deleteWebhook', { id: ['ID!', id] })
