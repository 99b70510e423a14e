import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'

export const command: Command = {
  summary: 'List the OAuth clients',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run({ sources, values }) {
    const { listClients } = await import('../../accounts/clients.ts')
    printList(await withStore(sources, listClients), values.json === true)
  }
}
