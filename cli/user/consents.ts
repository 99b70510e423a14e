import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'
import { toPlainText } from '../terminal/plain-text.ts'

export const command: Command = {
  summary: 'List what a user has allowed OAuth clients, or take it back',
  positionals: ['email'],
  options: {
    revoke: { type: 'string', value: 'client', help: 'take it back, and end the logins of this client' },
    json: { type: 'boolean', help: 'print JSON' }
  },
  details: 'Users are asked when they log in for a client that was added without --first-party.',
  async run({ sources, positionals: [email = ''], values: { revoke, json } }) {
    const { listConsents, revokeConsent } = await import('../../accounts/users.ts')
    await withStore(sources, async db => {
      if (typeof revoke !== 'string') return printList(await listConsents(db, email), json === true)
      await revokeConsent(db, email, revoke)
      console.error(toPlainText(`Client ${revoke} has to ask user ${email} again.`))
    })
  }
}
