import { listUsers } from '../../db/accounts/users.ts'
import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printList } from '../terminal/list.ts'

export const command: Command = {
  summary: 'List the users',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  async run({ env, values }) {
    const users = await withStore(env, listUsers)
    const rows = users.map(({ passwordHash: _secret, tokenEpoch: _epoch, ...user }) => user)
    printList(rows, values.json === true)
  }
}
