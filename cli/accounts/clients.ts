import type { OptionValues } from 'commander'
import type { ClientRights } from '../../accounts/client-input.ts'
import { grantTypes, scopes } from '../../domain/rights.ts'
import { type Command, type Options, omitAbsent, readKeepOld } from '../../terminal/command.ts'
import { jsonOption, printResult, printSecret } from '../../terminal/result.ts'
import { makeSharedCommands } from '../../terminal/shared-commands.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

const loadClients = () => import('../../accounts/clients.ts')

/** The options for what a client may do. */
const rightOptions: Options = {
  '--grant <type>': { help: 'grant type; may be repeated', multiple: true, choices: grantTypes },
  '--scope <scope>': { help: 'scope; may be repeated', multiple: true, choices: scopes },
  '--redirect-uri <uri>': {
    help: 'where users come back to from the login page; may be repeated',
    multiple: true
  },
  '--name <text>': 'shown to users instead of the id'
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
    '--public': 'it cannot keep a secret: a page or an app; for authorization_code and refresh_token',
    '--first-party': 'it is yours: users are not asked for their consent',
    '--introspect': 'allow introspecting tokens of other clients',
    ...jsonOption
  },
  details: `
Without --grant the client has the grant type password, or those of a public client; without --scope it has read
and write. With --scope profile it may also ask for the profile of a user who logs in at the login page, with --scope
admin for administration on behalf of users with the role admin; with the grant client_credentials for itself. The command
generates the secret and prints it once; the database stores only its hash. A public client has none.`,
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
  summary: 'Change what a client may do',
  options: {
    ...rightOptions,
    '--introspect <boolean>': { choices, help: 'whether it may introspect tokens of other clients' },
    '--first-party <boolean>': {
      choices,
      help: 'whether it is yours, and users are not asked for their consent'
    }
  },
  details: `
Changes only what is given; --grant, --scope and --redirect-uri each replace the whole list. New and refreshed
tokens have the new scopes; access tokens keep theirs until they expire.`,
  read: readRights
}

const secret: Command = {
  summary: 'Replace the secret of a client and print it',
  args: '<id>',
  options: {
    '--keep-old <duration>':
      'how long the old secret stays valid too, such as 30m, 1h or 7d; default: not at all',
    ...jsonOption
  },
  details: `
The new secret is shown only once. With --keep-old, programs that have the old secret go on until they get the new one.
Only one old secret is kept: a second call ends the first.`,
  async run({ sources, options }, id) {
    const { replaceSecret } = await loadClients()
    const given = options.keepOld
    const keepOld = given === undefined ? 0 : readKeepOld(given)
    const secret = await withStore(sources, db => replaceSecret(db, id, { keepOld }, makeActor()))
    const old = given === undefined ? '' : ` The old one stays valid for ${given}.`
    printSecret(options, { id, secret, keepOld }, `New secret of client ${id}, shown only once.${old}`)
  }
}

const { set, ...shared } = makeSharedCommands('client', 'id', {
  load: async () => (await import('../../store.ts')).clients,
  set: setRights,
  disable: 'The client can no longer authenticate, and its tokens are refused until it is enabled again.',
  remove: 'All tokens of the client end at once. `client disable` refuses them too, and can be undone.'
})

export const command: Command = {
  summary: 'Add, change and remove OAuth clients',
  subcommands: { add, set, secret, ...shared }
}
