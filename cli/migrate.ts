import { withStore } from './store.ts'
import type { Command } from './terminal/command.ts'

export const command: Command = {
  summary: 'Create the database or migrate it to the latest version',
  details: '`serve` also does this. Use this command to migrate in a separate deployment step.',
  async run({ sources }) {
    await withStore(sources, async () => {}, { mustExist: false })
    console.error('The database is at the latest version.')
  }
}
