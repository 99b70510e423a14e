import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'

export const command: Command = {
  summary: 'List the users',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run({ sources, values }) {
    const { listUsers } = await import('../../accounts/users.ts')
    printList(await withStore(sources, listUsers), values.json === true)
  }
}
