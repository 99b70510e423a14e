import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { formatJson } from '../terminal/plain-text.ts'
import { jsonOption } from '../terminal/result.ts'
import { readRights, rightOptions } from './rights.ts'

export const command: Command = {
  summary: 'Add an OAuth client and print its secret',
  positionals: ['id'],
  options: {
    ...rightOptions,
    public: {
      type: 'boolean',
      help: 'it cannot keep a secret: a page or an app; for authorization_code and refresh_token'
    },
    'first-party': { type: 'boolean', help: 'it is yours: users are not asked for their consent' },
    introspect: { type: 'boolean', help: 'allow introspecting tokens of other clients' },
    ...jsonOption
  },
  details: `
Without --grant the client has the grant type password, or those of a public client; without --scope it has read
and write. With --scope profile it may also ask for the profile of a user who logs in at the login page. The command
generates the secret and prints it once; the database stores only its hash. A public client has none.`,
  async run({ sources, positionals: [id = ''], values }) {
    const { addClient } = await import('../../accounts/clients.ts')
    const given = { id, ...readRights(values), isPublic: values.public === true }
    const { client, secret } = await withStore(sources, db => addClient(db, given))
    if (values.json === true) return console.log(formatJson({ ...client, secret }))
    if (secret === undefined) return console.error(`Added public client ${id}. It has no secret.`)
    console.error(`Added client ${id}. Its secret is shown only once:`)
    console.log(secret)
  }
}
