import { listClients } from '../../db/accounts/clients.ts'
import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'

export const command: Command = {
  summary: 'List the OAuth clients',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run({ env, values }) {
    const clients = await withStore(env, listClients)
    const rows = clients.map(({ secretHash: _secret, ...client }) => client)
    printList(rows, values.json === true)
  }
}
