import { withStore } from '../store.ts'
import { type Command, UsageError } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { readRights, rightOptions } from './rights.ts'

const trueOrFalse = { type: 'string', value: 'boolean', choices: ['true', 'false'] } as const

export const command: Command = {
  summary: 'Change what a client may do',
  positionals: ['id'],
  options: {
    ...rightOptions,
    introspect: { ...trueOrFalse, help: 'whether it may introspect tokens of other clients' },
    'first-party': { ...trueOrFalse, help: 'whether it is yours, and users are not asked for their consent' },
    ...jsonOption
  },
  details: `
Changes only what is given; --grant, --scope and --redirect-uri each replace the whole list. New tokens have the new scopes, refreshed ones
too; access tokens keep theirs until they expire.`,
  async run({ sources, positionals: [id = ''], values }) {
    const { updateClient } = await import('../../accounts/clients.ts')
    const rights = readRights(values)
    if (Object.keys(rights).length === 0)
      throw new UsageError('nothing to change: give an option, see --help')
    const client = await withStore(sources, db => updateClient(db, id, rights))
    printResult(values, client, `Changed client ${id}.`)
  }
}
