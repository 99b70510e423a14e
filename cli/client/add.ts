import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption } from '../terminal/result.ts'
import { readRights, rightOptions } from './rights.ts'

export const command: Command = {
  summary: 'Add an OAuth client and print its secret',
  positionals: ['id'],
  options: {
    ...rightOptions,
    introspect: { type: 'boolean', help: 'allow introspecting tokens of other clients' },
    ...jsonOption
  },
  details: `
Without --grant the client has the grant type password, without --scope all scopes. The command generates the secret and
prints it once; the database stores only its hash.`,
  async run({ sources, positionals: [id = ''], values }) {
    const { addClient } = await import('../../accounts/clients.ts')
    const given = { id, ...readRights(values), mayIntrospect: values.introspect === true }
    const { client, secret } = await withStore(sources, db => addClient(db, given))
    if (values.json === true) return console.log(JSON.stringify({ ...client, secret }, null, 2))
    console.error(`Added client ${id}. Its secret is shown only once:`)
    console.log(secret)
  }
}
