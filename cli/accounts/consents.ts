import type { Command } from '../../terminal/command.ts'
import { toPlainText } from '../../terminal/plain-text.ts'
import { jsonOption, printList } from '../../terminal/result.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

export const consents: Command = {
  summary: 'List the consents of a user to OAuth clients, or revoke one',
  args: '<email>',
  options: {
    '--revoke <client>': "revoke the consent to this client, and end the client's logins",
    ...jsonOption
  },
  details: 'Users are asked for consent when they log in to a client that was added without --first-party.',
  async run({ sources, options }, email) {
    const { revoke } = options
    const { listConsents, revokeConsent } = await import('../../accounts/consents.ts')
    await withStore(sources, async db => {
      if (revoke === undefined) return printList(options, await listConsents(db, email))
      await revokeConsent(db, email, revoke, makeActor())
      console.error(toPlainText(`Client ${revoke} must ask user ${email} for consent again.`))
    })
  }
}
