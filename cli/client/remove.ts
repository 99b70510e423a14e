import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Remove a client for good',
  positionals: ['id'],
  options: jsonOption,
  details: 'All tokens of the client end at once. `client disable` refuses them too, and can be undone.',
  async run({ sources, positionals: [id = ''], values }) {
    const { removeClient } = await import('../../accounts/clients.ts')
    await withStore(sources, db => removeClient(db, id))
    printResult(values, { id }, `Removed client ${id}.`)
  }
}
