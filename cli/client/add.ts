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
      help: `${grantTypes.join(', ')}; password when none is given`
    },
    scope: { type: 'string', multiple: true, value: 'scope', help: 'read or write; both when none is given' },
    introspect: { type: 'boolean', help: 'let it introspect the tokens of other clients' }
  },
  details: 'The secret is made here and shown this once: the database keeps only its hash.',
  async run({ env, positionals: [id = ''], values }) {
    // VSCHAR, RFC 6749 appendix A.1, less the colon that ends the id in HTTP Basic.
    if (!/^[\x20-\x39\x3B-\x7E]+$/.test(id))
      throw new UsageError('an id has printable ASCII characters but no colon')
    // A client may act for itself under its id: that must not be the id of a user.
    if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
      throw new UsageError('an id must not be a UUID')
    const scopes = chosen('scope', values.scope ?? allScopes, allScopes)
    const grants = chosen('grant', values.grant ?? ['password'], grantTypes)
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
        if (await findClient(transaction, id)) throw new CommandError(`there is a client ${id} already`)
        await insertClient(transaction, client)
      })
      console.error(`Added the client ${id}. Its secret, shown this once:`)
      console.log(secret)
    })
  }
}

/** What was asked for, as a set in the order of all there is. */
function chosen(what: string, asked: Call['values'][string], all: string[]): string[] {
  const names = [asked].flat()
  const unknown = names.find(name => !all.includes(String(name)))
  if (unknown !== undefined) throw new UsageError(`there is no ${what} "${unknown}"`)
  return all.filter(name => names.includes(name))
}
