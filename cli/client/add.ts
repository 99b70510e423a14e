import { generateClientSecret, hashClientSecret } from '../../credentials/client-secret.ts'
import { findClient, insertClient } from '../../db/repositories/clients.ts'
import { scopes as allScopes } from '../../routes/oauth/scope.ts'
import { withStore } from '../store.ts'
import { type Command, CommandError, UsageError } from '../terminal/command.ts'

export const command: Command = {
  summary: 'Add an OAuth client and print its secret',
  positionals: ['id'],
  options: {
    scope: { type: 'string', multiple: true, value: 'scope', help: 'read or write; both when none is given' }
  },
  details: 'The secret is made here and shown this once: the database keeps only its hash.',
  async run({ env, positionals: [id = ''], values }) {
    // VSCHAR, RFC 6749 appendix A.1, less the colon that ends the id in HTTP Basic.
    if (!/^[\x20-\x39\x3B-\x7E]+$/.test(id))
      throw new UsageError('an id has printable ASCII characters but no colon')
    const asked = (values.scope ?? allScopes) as string[]
    const unknown = asked.find(scope => !allScopes.includes(scope))
    if (unknown) throw new UsageError(`there is no scope "${unknown}"`)
    const scopes = allScopes.filter(scope => asked.includes(scope))
    await withStore(env, async db => {
      if (await findClient(db, id)) throw new CommandError(`there is a client ${id} already`)
      const secret = generateClientSecret()
      await insertClient(db, { id, secretHash: hashClientSecret(secret), grantTypes: ['password'], scopes })
      console.error(`Added the client ${id}. Its secret, shown this once:`)
      console.log(secret)
    })
  }
}
