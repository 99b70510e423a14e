import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Disable a client',
  positionals: ['id'],
  options: jsonOption,
  details: 'The client can no longer authenticate, and its tokens are refused until it is enabled again.',
  async run({ sources, positionals: [id = ''], values }) {
    const { disableClient } = await import('../../accounts/clients.ts')
    await withStore(sources, async db => {
      await disableClient(db, id)
      printResult(values, { id }, `Disabled client ${id}.`)
    })
  }
}
