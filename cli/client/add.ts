import { grantTypes, scopes } from '../../accounts/rights.ts'
import { withStore } from '../store.ts'
import { type Call, type Command, UsageError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Add an OAuth client and print its secret',
  positionals: ['id'],
  options: {
    grant: {
      type: 'string',
      multiple: true,
      value: 'type',
      choices: grantTypes,
      help: 'may be repeated; default: password'
    },
    scope: {
      type: 'string',
      multiple: true,
      value: 'scope',
      choices: scopes,
      help: 'may be repeated; default: both'
    },
    introspect: { type: 'boolean', help: 'allow introspecting tokens of other clients' }
  },
  details: 'The command generates the secret and prints it once; the database stores only its hash.',
  async run({ sources, positionals: [id = ''], values }) {
    const client = {
      id,
      grantTypes: selectNames('grant', values.grant ?? ['password'], grantTypes),
      scopes: selectNames('scope', values.scope ?? [...scopes], scopes),
      mayIntrospect: values.introspect === true
    }
    const { addClient } = await import('../../accounts/clients.ts')
    await withStore(sources, async db => {
      const { secret } = await addClient(db, client)
      console.error(`Added client ${id}. Its secret is shown only once:`)
      console.log(secret)
    })
  }
}

/** Returns the given names in the order of `all`. Throws UsageError for an unknown name. */
function selectNames<Name extends string>(
  what: string,
  given: Call['values'][string],
  all: readonly Name[]
): Name[] {
  const names = [given].flat()
  const unknown = names.find(name => !all.includes(name as Name))
  if (unknown !== undefined) throw new UsageError(`unknown ${what} "${unknown}"`)
  return all.filter(name => names.includes(name))
}
