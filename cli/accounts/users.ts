import type { OptionValues } from 'commander'
import type { Profile } from '../../accounts/user-input.ts'
import { roles } from '../../domain/rights.ts'
import type { ProcessSettings } from '../../options/index.ts'
import { type Command, type Options, parseWhere, UsageError } from '../../terminal/command.ts'
import { jsonOption, printJson, printList, printResult } from '../../terminal/result.ts'
import { makeSharedCommands } from '../../terminal/shared-commands.ts'
import { makeActor, withStore } from '../../terminal/store.ts'
import { readNewPassword } from './new-password.ts'

const loadUsers = () => import('../../accounts/users.ts')

const profileOptions: Options = {
  '--first-name <name>': 'first name, returned with tokens like the rest of the profile',
  '--last-name <name>': 'last name',
  '--country <name>': 'country',
  '--mobile <number>': 'mobile number',
  '--role <role>': { help: 'role of the user', choices: roles },
  '--where <json>': 'filter for the templates that the user may see and write, like `where` in the API',
  '--wallet <address>': { help: 'wallet address; may be repeated', multiple: true }
}

/** Reads the given fields of the profile. `json` and `wallets` are not fields. */
const readProfile = ({ json: _, wallets: _none, wallet, where, ...profile }: OptionValues): Profile => ({
  ...profile,
  ...(where !== undefined && { where: where === false ? null : parseWhere(where) }),
  ...(wallet && { wallets: wallet })
})

const linkOption: Options = {
  '--link': 'print a single-use link, valid for a day, with which the user sets the password'
}

/** Returns the function that makes a link from its token. Throws UsageError if the settings allow no link. */
async function prepareLink({ issuer, passwordLogin }: ProcessSettings): Promise<(token: string) => string> {
  if (issuer === undefined) throw new UsageError('--link needs ISSUER, the address of the service')
  if (!passwordLogin) throw new UsageError('--link does nothing: PASSWORD_LOGIN is false')
  const { toPasswordLink } = await import('../../accounts/passwords.ts')
  return token => toPasswordLink(issuer, token)
}

const add: Command = {
  summary: 'Add a user',
  args: '<email>',
  options: { ...profileOptions, ...linkOption, ...jsonOption },
  details: `
Prompts for the password, or reads it from standard input. It must have at least 12 characters and not be easy to guess.
With --link, the user chooses the password. Without --role, the user is a publisher; without --where, the user may see and
write all templates.`,
  async run({ sources, options }, email) {
    const { addUser, inviteUser, requireFreeEmail } = await loadUsers()
    const { checkUser, InvitedUser } = await import('../../accounts/user-input.ts')
    const { link: wantsLink, ...given } = options
    const user = { email, ...readProfile(given) }
    checkUser(InvitedUser, user)
    await withStore(sources, async (db, settings) => {
      // Checked before the prompt, and again when the user is added.
      await requireFreeEmail(db, email)
      if (wantsLink) {
        const toLink = await prepareLink(settings)
        const { user: invited, token } = await inviteUser(db, user, settings, makeActor())
        const link = toLink(token)
        printResult(options, { ...invited, link }, `Added user ${email}.`)
        if (!options.json) console.log(link)
        return
      }
      const password = await readNewPassword(user)
      const added = await addUser(db, { ...user, password }, settings, makeActor())
      printResult(options, added, `Added user ${email}.`)
    })
  }
}

const setProfile = {
  summary: 'Change the profile or the role of a user',
  options: {
    ...profileOptions,
    '--no-wallets': 'remove all wallet addresses',
    '--no-where': 'let the user see and write all templates'
  },
  details: `
Changes only the given options; --wallet replaces all addresses. An empty text clears a field. The next token response has
the new profile. A new role applies at once, also to existing tokens. \`user passwd\` changes the password.`,
  read(options: OptionValues): Profile {
    const none = options.wallets === false
    if (none && options.wallet) throw new UsageError('give --wallet or --no-wallets, not both')
    return { ...readProfile(options), ...(none && { wallets: [] }) }
  }
}

const passwd: Command = {
  summary: 'Change the password of a user',
  args: '<email>',
  options: { ...linkOption, ...jsonOption },
  details: `
Prompts for the new password, or reads it from standard input. It must have at least 12 characters and not be easy to
guess. The new password revokes all tokens of the user, and unlocks a locked account. With --link, the old password and
the tokens work until the user has chosen the new one.`,
  async run({ sources, options }, email) {
    const { requireUser, setPassword, omitSecrets } = await loadUsers()
    await withStore(sources, async (db, settings) => {
      const user = await requireUser(db, email)
      if (options.link) {
        const toLink = await prepareLink(settings)
        const { createLinkToken } = await import('../../accounts/passwords.ts')
        const link = toLink(await createLinkToken(db, user, makeActor()))
        if (options.json) return printJson({ email, link })
        return console.log(link)
      }
      const password = await readNewPassword(user)
      await setPassword(db, email, password, settings, makeActor())
      printResult(options, omitSecrets(user), `Changed the password of ${email}.`)
    })
  }
}

const consents: Command = {
  summary: 'List the consents of a user to OAuth clients, or revoke one',
  args: '<email>',
  options: {
    '--revoke <client>': "revoke the consent to this client, and end the client's logins",
    ...jsonOption
  },
  details: 'Users are asked for consent when they log in to a client that was added without --first-party.',
  async run({ sources, options }, email) {
    const { revoke } = options
    const { listConsents, revokeConsent } = await loadUsers()
    await withStore(sources, async db => {
      if (revoke === undefined) return printList(options, await listConsents(db, email))
      await revokeConsent(db, email, revoke, makeActor())
      printResult(
        options,
        { email, client: revoke },
        `Client ${revoke} must ask user ${email} for consent again.`
      )
    })
  }
}

const { set, ...shared } = makeSharedCommands('user', 'email', {
  load: async () => (await import('../../store.ts')).users,
  set: setProfile,
  disable:
    'The user can no longer log in. All tokens of the user end, and stay invalid if the user is enabled again.',
  delete: 'All tokens of the user end at once. `user disable` does that too, and can be undone.'
})

export const command: Command = {
  summary: 'Add, change and delete users',
  subcommands: { add, set, passwd, consents, ...shared }
}
