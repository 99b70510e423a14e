import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printFields } from '../terminal/list.ts'
import { jsonOption } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Show an OAuth client',
  positionals: ['id'],
  options: jsonOption,
  async run({ sources, positionals: [id = ''], values }) {
    const { requireClient } = await import('../../accounts/clients.ts')
    const client = await withStore(sources, db => requireClient(db, id))
    printFields({ ...client }, values.json === true)
  }
}
