import type { Command } from '../../terminal/command.ts'
import { jsonOption, printResult } from '../../terminal/result.ts'
import { withStore } from '../../terminal/store.ts'

export const command: Command = {
  summary: 'Create the database or migrate it to the latest version',
  options: jsonOption,
  details: '`serve` also does this. Use this command to migrate in a separate deployment step.',
  async run({ sources, options }) {
    await withStore(sources, async () => {}, { mustExist: false })
    printResult(options, { latest: true }, 'The database is at the latest version.')
  }
}
