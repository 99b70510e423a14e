import { withStore } from './store.ts'
import type { Command } from './terminal/command.ts'

export const command: Command = {
  summary: 'Create the database, or bring it to the newest version',
  details: '`serve` does this by itself: this is for a step of its own before a deployment.',
  async run({ env }) {
    await withStore(env, async () => {}, { mustExist: false })
    console.error('The database is at the newest version.')
  }
}
