import { withStore } from '../store.ts'
import type { Command } from '../terminal/command.ts'
import { printFields } from '../terminal/list.ts'
import { jsonOption } from '../terminal/result.ts'

export const command: Command = {
  summary: 'Show a user',
  positionals: ['email'],
  options: jsonOption,
  async run({ sources, positionals: [email = ''], values }) {
    const { findUser, requireUser } = await import('../../accounts/users.ts')
    const user = await withStore(sources, async db => {
      await requireUser(db, email)
      return findUser(db, email)
    })
    printFields({ ...user }, values.json === true)
  }
}
