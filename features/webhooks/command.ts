import type { OptionValues } from 'commander'
import {
  type Command,
  CommandError,
  type Options,
  omitAbsent,
  parseWhere,
  readOverlap
} from '../../terminal/command.ts'
import { jsonOption, printResult, printSecret } from '../../terminal/result.ts'
import { makeSharedCommands } from '../../terminal/shared-commands.ts'
import { makeActor, withStore } from '../../terminal/store.ts'
import { webhookEvents } from './rows/webhooks.ts'

const loadWebhooks = () => import('./webhooks.ts')

const valueOptions: Options = {
  '--where <json>': 'filter for the templates whose changes are sent, like `where` in the API',
  '--event <event>': {
    help: 'event type to send; may be repeated',
    multiple: true,
    choices: webhookEvents
  }
}

const readValues = ({ url, where, event }: OptionValues) =>
  omitAbsent({
    url,
    events: event,
    where: where === false ? null : where === undefined ? undefined : parseWhere(where)
  })

const add: Command = {
  summary: 'Add a webhook and print its secret',
  args: '<url>',
  options: { ...valueOptions, ...jsonOption },
  details: `
The service sends each later change to the URL, signed with the secret as described in https://www.standardwebhooks.com.
Without --where and --event, it sends all changes. A host whose address is not public needs PRIVATE_NETWORKS.`,
  async run({ sources, options }, url) {
    const { addWebhook } = await loadWebhooks()
    const { webhook, secret } = await withStore(sources, (db, settings) =>
      addWebhook(db, { ...readValues(options), url: url ?? '' }, settings, makeActor())
    )
    const sentence = `Added webhook ${webhook.id}. Its secret is shown only once:`
    printSecret(options, { ...webhook, secret }, sentence)
  }
}

const secret: Command = {
  summary: 'Replace the secret of a webhook and print it',
  args: '<id>',
  options: {
    '--overlap <duration>':
      'how long messages are also signed with the old secret, such as 1h or 7d; default: 1d',
    ...jsonOption
  },
  details: `
The new secret is shown only once. Until the old secret ends, each message has both signatures, so the receiver can switch
to the new secret at any time.`,
  async run({ sources, options }, id) {
    const { rotateWebhookSecret } = await loadWebhooks()
    const { overlap: given = '1d' } = options
    const overlap = readOverlap(given)
    const secret = await withStore(sources, (db, settings) =>
      rotateWebhookSecret(db, id, { ...settings, overlap }, makeActor())
    )
    const sentence = `New secret of webhook ${id}, shown only once. The old secret also signs for ${given}.`
    printSecret(options, { id, secret, overlap }, sentence)
  }
}

const replay: Command = {
  summary: 'Send messages of a webhook again',
  args: '<id>',
  options: {
    '--since <start>': 'send all changes since a UTC time, after a cursor of the feed, or from the `start`',
    '--dead': 'also retry dead messages',
    ...jsonOption
  },
  details: `
Without --since, messages awaiting a retry are sent at once. With --dead, messages that the service has given up are sent
too. A message that is sent again has the same webhook-id.`,
  async run({ sources, options }, id) {
    const { replayWebhook, requireWebhook } = await loadWebhooks()
    const webhook = await withStore(sources, async db => {
      const given = omitAbsent({ since: options.since, dead: options.dead })
      await replayWebhook(db, id, given, makeActor())
      return requireWebhook(db, id)
    })
    const { waiting, behind } = webhook
    printResult(
      options,
      webhook,
      `Webhook ${id}: ${waiting} messages wait, ${behind} changes are not processed yet.`
    )
  }
}

const test: Command = {
  summary: 'Send a test message to a webhook',
  args: '<id>',
  options: jsonOption,
  async run({ sources, options }, id) {
    const { testWebhook } = await loadWebhooks()
    const answer = await withStore(sources, (db, settings) => testWebhook(db, id, settings))
    if (answer.error !== null) throw new CommandError(`webhook ${id}: ${answer.error}`)
    printResult(options, answer, `The receiver answered with ${answer.status}.`)
  }
}

const { set, ...shared } = makeSharedCommands('webhook', 'id', {
  async load() {
    const webhooks = await loadWebhooks()
    return {
      list: webhooks.listWebhooks,
      find: webhooks.findWebhook,
      update: webhooks.updateWebhook,
      disable: webhooks.disableWebhook,
      enable: webhooks.enableWebhook,
      delete: webhooks.deleteWebhook
    }
  },
  set: {
    summary: "Change a webhook's URL, filter or events",
    options: { '--url <url>': 'the new URL', ...valueOptions, '--no-where': 'send changes of all templates' },
    read: readValues
  },
  disable:
    'The webhook sends nothing, and no change is lost: once enabled, it continues with the next unsent change.',
  delete: 'Its pending messages are deleted. `webhook disable` can be undone.'
})

export const command: Command = {
  summary: 'Send changes of templates to other services',
  subcommands: { add, set, secret, replay, test, ...shared }
}
