import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Enable a disabled client',
  positionals: ['id'],
  options: jsonOption,
  async run({ sources, positionals: [id = ''], values }) {
    const { enableClient } = await import('../../accounts/clients.ts')
    await withStore(sources, async db => {
      await enableClient(db, id)
      printResult(values, { id }, `Enabled client ${id}.`)
    })
  }
}
