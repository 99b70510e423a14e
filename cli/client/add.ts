import { generateClientSecret, hashClientSecret } from '../../credentials/client-secret.ts'
import { findClient, insertClient } from '../../db/accounts/clients.ts'
import { transact } from '../../db/transaction.ts'
import { grantTypes } from '../../routes/oauth/grants/index.ts'
import { scopes as allScopes } from '../../routes/oauth/scope.ts'
import { withStore } from '../store.ts'
import { type Call, type Command, CommandError, UsageError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Add an OAuth client and print its secret',
  positionals: ['id'],
  options: {
    grant: {
      type: 'string',
      multiple: true,
      value: 'type',
      help: `${grantTypes.join(', ')}; may be repeated; default: password`
    },
    scope: {
      type: 'string',
      multiple: true,
      value: 'scope',
      help: 'read or write; may be repeated; default: both'
    },
    introspect: { type: 'boolean', help: 'allow introspecting tokens of other clients' }
  },
  details: 'The command generates the secret and prints it once; the database stores only its hash.',
  async run({ env, positionals: [id = ''], values }) {
    // VSCHAR, RFC 6749 appendix A.1, without the colon, which ends the id in HTTP Basic.
    if (!/^[\x20-\x39\x3B-\x7E]+$/.test(id))
      throw new UsageError('an id consists of printable ASCII characters other than the colon')
    // With client_credentials the id is the subject of tokens, so it must not look like the id of a user.
    if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
      throw new UsageError('an id must not be a UUID')
    const scopes = selectNames('scope', values.scope ?? allScopes, allScopes)
    const grants = selectNames('grant', values.grant ?? ['password'], grantTypes)
    await withStore(env, async db => {
      const secret = generateClientSecret()
      const client = {
        id,
        secretHash: hashClientSecret(secret),
        grantTypes: grants,
        scopes,
        mayIntrospect: values.introspect === true
      }
      await transact(db, async transaction => {
        if (await findClient(transaction, id)) throw new CommandError(`client ${id} already exists`)
        await insertClient(transaction, client)
      })
      console.error(`Added client ${id}. Its secret is shown only once:`)
      console.log(secret)
    })
  }
}

/** Returns the given names without duplicates, in the order of `all`. Throws UsageError for an unknown name. */
function selectNames(what: string, given: Call['values'][string], all: string[]): string[] {
  const names = [given].flat()
  const unknown = names.find(name => !all.includes(String(name)))
  if (unknown !== undefined) throw new UsageError(`unknown ${what} "${unknown}"`)
  return all.filter(name => names.includes(name))
}
