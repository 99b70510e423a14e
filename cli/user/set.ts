import { withStore } from '../store.ts'
import { type Command, UsageError } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { profileOptions, readProfile } from './profile.ts'

export const command: Command = {
  summary: 'Change the profile of a user',
  positionals: ['email'],
  options: {
    ...profileOptions,
    'no-wallets': { type: 'boolean', help: 'remove all wallet addresses' },
    ...jsonOption
  },
  details: `
Changes only what is given; --wallet replaces all addresses. An empty text clears a field. The next token response has the
new profile. \`user passwd\` changes the password.`,
  async run({ sources, positionals: [email = ''], values }) {
    const { updateUser } = await import('../../accounts/users.ts')
    const none = values['no-wallets'] === true
    if (none && values.wallet !== undefined) throw new UsageError('give --wallet or --no-wallets, not both')
    const profile = { ...readProfile(values), ...(none && { wallets: [] }) }
    if (Object.keys(profile).length === 0)
      throw new UsageError('nothing to change: give an option, see --help')
    const user = await withStore(sources, db => updateUser(db, email, profile))
    printResult(values, user, `Changed user ${email}.`)
  }
}
