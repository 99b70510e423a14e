import type { OptionValues } from 'commander'
import type { ClientRights } from '../../accounts/client-input.ts'
import { grantTypes, scopes } from '../../domain/rights.ts'
import { type Command, type Options, omitAbsent, readOverlap } from '../../terminal/command.ts'
import { jsonOption, printResult, printSecret } from '../../terminal/result.ts'
import { makeSharedCommands } from '../../terminal/shared-commands.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

const loadClients = () => import('../../accounts/clients.ts')

const rightOptions: Options = {
  '--grant <type>': { help: 'grant type; may be repeated', multiple: true, choices: grantTypes },
  '--scope <scope>': { help: 'scope; may be repeated', multiple: true, choices: scopes },
  '--redirect-uri <uri>': {
    help: 'URI to which the login page sends users back; may be repeated',
    multiple: true
  },
  '--name <text>': 'name shown to users instead of the id'
}

/** Reads the rights that were given. */
function readRights(options: OptionValues): ClientRights {
  return omitAbsent({
    grantTypes: options.grant,
    scopes: options.scope,
    redirectUris: options.redirectUri,
    displayName: options.name,
    mayIntrospect: readBoolean(options.introspect),
    firstParty: readBoolean(options.firstParty)
  })
}

/** Reads an option that `client add` has as a flag and `client set` as a text. */
const readBoolean = (value: boolean | string | undefined): boolean | undefined =>
  value === undefined ? undefined : String(value) === 'true'

const add: Command = {
  summary: 'Add an OAuth client and print its secret',
  args: '<id>',
  options: {
    ...rightOptions,
    '--public':
      'the client cannot keep a secret, such as a page or an app; for authorization_code and refresh_token',
    '--first-party': 'the client is yours: users are not asked for consent',
    '--introspect': 'let the client introspect tokens of other clients',
    ...jsonOption
  },
  details: `
Without --grant, the client has the grant type password; a public client has authorization_code and refresh_token. Without
--scope, the client has read and write. The scope profile lets the client request the profile of a user who logs in at the
login page. The scope admin is for administration: on behalf of users with the role admin or, with the grant
client_credentials, on behalf of the client. The command generates the secret and prints it once; the database stores only
its hash. A public client has no secret.`,
  async run({ sources, options }, id) {
    const { addClient } = await loadClients()
    const given = { id, ...readRights(options), isPublic: options.public === true }
    const { client, secret } = await withStore(sources, db => addClient(db, given, makeActor()))
    if (secret === undefined)
      return printResult(options, client, `Added public client ${id}. It has no secret.`)
    printSecret(options, { ...client, secret }, `Added client ${id}. Its secret is shown only once:`)
  }
}

const choices = ['true', 'false']

const setRights = {
  summary: 'Change the rights of a client',
  options: {
    ...rightOptions,
    '--introspect <boolean>': { choices, help: 'whether the client may introspect tokens of other clients' },
    '--first-party <boolean>': {
      choices,
      help: 'whether the client is yours, and users are not asked for consent'
    }
  },
  details: `
Changes only the given options; --grant, --scope and --redirect-uri each replace the whole list. New and refreshed
tokens get the new scopes; existing access tokens keep theirs until they expire.`,
  read: readRights
}

const secret: Command = {
  summary: 'Replace the secret of a client and print it',
  args: '<id>',
  options: {
    '--overlap <duration>':
      'how long the old secret also stays valid, such as 30m, 1h or 7d; default: not at all',
    ...jsonOption
  },
  details: `
The new secret is shown only once. With --overlap, programs with the old secret keep working until they get the new one.
Only one old secret is kept: a second call ends an older secret.`,
  async run({ sources, options }, id) {
    const { rotateSecret } = await loadClients()
    const given = options.overlap
    const overlap = given === undefined ? 0 : readOverlap(given)
    const secret = await withStore(sources, db => rotateSecret(db, id, { overlap }, makeActor()))
    const old = given === undefined ? '' : ` The old one stays valid for ${given}.`
    printSecret(options, { id, secret, overlap }, `New secret of client ${id}, shown only once.${old}`)
  }
}

const { set, ...shared } = makeSharedCommands('client', 'id', {
  load: async () => (await import('../../store.ts')).clients,
  set: setRights,
  disable: 'The client can no longer authenticate, and its tokens are refused until it is enabled again.',
  delete: 'All tokens of the client end at once. `client disable` refuses them too, and can be undone.'
})

export const command: Command = {
  summary: 'Add, change and delete OAuth clients',
  subcommands: { add, set, secret, ...shared }
}
