import { withStore } from '../store.ts'
import { type Command, UsageError } from '../terminal/command.ts'
import { jsonOption, printResult } from '../terminal/result.ts'
import { readRights, rightOptions } from './rights.ts'

export const command: Command = {
  summary: 'Change what a client may do',
  positionals: ['id'],
  options: {
    ...rightOptions,
    introspect: {
      type: 'string',
      value: 'boolean',
      choices: ['true', 'false'],
      help: 'whether it may introspect tokens of other clients'
    },
    'first-party': {
      type: 'string',
      value: 'boolean',
      choices: ['true', 'false'],
      help: 'whether it is yours, and users are not asked for their consent'
    },
    ...jsonOption
  },
  details: `
Changes only what is given; --grant, --scope and --redirect-uri each replace the whole list. New tokens have the new scopes, refreshed ones
too; access tokens keep theirs until they expire.`,
  async run({ sources, positionals: [id = ''], values }) {
    const { updateClient } = await import('../../accounts/clients.ts')
    const { introspect, 'first-party': firstParty } = values
    const rights = {
      ...readRights(values),
      ...(introspect !== undefined && { mayIntrospect: introspect === 'true' }),
      ...(firstParty !== undefined && { firstParty: firstParty === 'true' })
    }
    if (Object.keys(rights).length === 0)
      throw new UsageError('nothing to change: give an option, see --help')
    const client = await withStore(sources, db => updateClient(db, id, rights))
    printResult(values, client, `Changed client ${id}.`)
  }
}
