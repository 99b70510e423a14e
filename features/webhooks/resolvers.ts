import { readFileSync } from 'node:fs'
import { tryToReleaseChanges } from '../../db/templates/changes/changes.ts'
import { transact } from '../../db/transaction.ts'
import { freeItems, type WithDemands } from '../../graphql/admission/demands.ts'
import type { Scoped } from '../../graphql/admission/scopes.ts'
import { addToApi, type SchemaChange } from '../../graphql/api.ts'
import { uncacheableField } from '../../graphql/fields.ts'
import {
  adminMutation,
  adminQuery,
  emptyFilterToNull,
  type Update
} from '../../graphql/resolvers/admin-fields.ts'
import { locate } from '../../runtime/package/package-files.ts'
import type { NewWebhook, WebhookChange } from './input.ts'
import { listFailed, maxFailed } from './rows/deliveries.ts'
import * as webhooks from './webhooks.ts'

const Query = {
  webhooks: adminQuery(
    { items: freeItems, writeBeforeSnapshot: tryToReleaseChanges },
    async (_given, { reader }) => (await webhooks.listWebhooks(reader.primary)).map(toObject)
  )
} satisfies Record<string, WithDemands>

const toObject = ({ where, ...webhook }: webhooks.Webhook) => ({
  ...webhook,
  where: where && JSON.stringify(where)
})

interface ReplayArguments {
  id: string
  since?: string
  dead?: boolean
}

const Mutation = {
  addWebhook: adminMutation(async ({ input }: { input: NewWebhook }, { caller, writeDb, settings }) => {
    const { webhook, secret } = await webhooks.addWebhook(writeDb, emptyFilterToNull(input), settings, caller)
    return { webhook: toObject(webhook), secret }
  }),

  rotateWebhookSecret: adminMutation(
    async (
      { id, overlap = webhooks.defaultOverlap }: { id: string; overlap?: number },
      { caller, writeDb, settings }
    ) => {
      const secret = await webhooks.rotateWebhookSecret(writeDb, id, { ...settings, overlap }, caller)
      return { webhook: toObject(await webhooks.requireWebhook(writeDb, id)), secret }
    }
  ),

  updateWebhook: adminMutation(async ({ id, input }: Update<WebhookChange>, { caller, writeDb }) => {
    const { disabled, ...values } = emptyFilterToNull(input)
    return transact(writeDb, async transaction => {
      const before = await webhooks.requireWebhook(transaction, id)
      if (Object.keys(values).length > 0) await webhooks.updateWebhook(transaction, id, values, caller)
      if ((disabled ?? before.disabled) !== before.disabled)
        await (disabled ? webhooks.disableWebhook : webhooks.enableWebhook)(transaction, id, caller)
      return { webhook: toObject(await webhooks.requireWebhook(transaction, id)) }
    })
  }),

  replayWebhook: adminMutation(async ({ id, ...what }: ReplayArguments, { caller, writeDb }) => {
    await webhooks.replayWebhook(writeDb, id, what, caller)
    return { webhook: toObject(await webhooks.requireWebhook(writeDb, id)) }
  }),

  testWebhook: adminMutation(({ id }: { id: string }, { writeDb, settings }) =>
    // The test ends before the operation does. Otherwise, nobody would learn that the receiver is silent.
    webhooks.testWebhook(writeDb, id, { ...settings, answerTimeoutMs: settings.graphqlTimeout * 900 })
  ),

  deleteWebhook: adminMutation(async ({ id }: { id: string }, { caller, writeDb }) => {
    await webhooks.deleteWebhook(writeDb, id, caller)
    return { deletedId: id }
  })
} satisfies Record<string, WithDemands<Scoped>>

const types = readFileSync(locate('features/webhooks/schema.graphql'), 'utf8')

/** The fields that are read only if they are selected. A resolver of a webhook runs only for administrators. */
const Webhook = {
  failedMessages: uncacheableField(
    { items: () => maxFailed },
    ({ id }: webhooks.Webhook, _args, { reader }) => listFailed(reader.primary, id)
  )
}

/** Adds webhooks to the schema and the resolvers. */
export const schema: SchemaChange = {
  extendSchema: api => addToApi(api, types, { Query, Mutation, Webhook })
}
