import type { OptionValues } from 'commander'
import type { Profile } from '../../accounts/user-input.ts'
import { roles } from '../../db/accounts/roles.ts'
import type { Db } from '../../db/schema.ts'
import { accountMissing } from '../../errors.ts'
import type { ProcessSettings } from '../../options.ts'
import { withStore } from '../store.ts'
import { type Command, type Options, parseWhere, requireChange, UsageError } from '../terminal/command.ts'
import { toPlainText } from '../terminal/plain-text.ts'
import { jsonOption, printJson, printList, printResult } from '../terminal/result.ts'
import { makeActor } from './actor.ts'
import { readNewPassword } from './new-password.ts'
import { makeSharedCommands } from './shared-commands.ts'

const loadUsers = () => import('../../accounts/users.ts')

const profileOptions: Options = {
  '--first-name <name>': 'first name, returned with tokens like the rest of the profile',
  '--last-name <name>': 'last name',
  '--country <name>': 'country',
  '--mobile <number>': 'mobile number',
  '--role <role>': { help: 'what the user may do; default of new users: publisher', choices: roles },
  '--where <json>': 'the templates that the user may see and write, like `where` in the API; default: all',
  '--wallet <address>': { help: 'wallet address; may be repeated', multiple: true }
}

/** Reads the given fields of the profile. `json` and `wallets` are not fields. */
const readProfile = ({ json: _, wallets: _none, wallet, where, ...profile }: OptionValues): Profile => ({
  ...profile,
  ...(where !== undefined && { where: where === false ? null : parseWhere(where) }),
  ...(wallet && { wallets: wallet })
})

const linkOption: Options = {
  '--link': 'print a link with which the user sets the password, within a day, once'
}

/** Returns the address that links start with. Throws UsageError if ISSUER is not set. */
function requireIssuer({ issuer }: ProcessSettings): string {
  if (issuer === undefined) throw new UsageError('--link needs ISSUER, the address of the service')
  return issuer
}

async function makeLink(db: Db, settings: ProcessSettings, email: string): Promise<string> {
  const issuer = requireIssuer(settings)
  const { createPasswordLink, makePasswordLink } = await import('../../accounts/passwords.ts')
  const { requireUser } = await loadUsers()
  return makePasswordLink(issuer, await createPasswordLink(db, await requireUser(db, email), makeActor()))
}

const add: Command = {
  summary: 'Add a user',
  args: '<email>',
  options: { ...profileOptions, ...linkOption, ...jsonOption },
  details: `
Prompts for the password, or reads it from standard input. It must have at least 12 characters and not be easy to guess.
With --link, the user chooses it.`,
  async run({ sources, options }, email) {
    const { addUser, inviteUser, requireFreeEmail } = await loadUsers()
    const { checkUser } = await import('../../accounts/user-input.ts')
    const { link: wantsLink, ...given } = options
    const user = { email, ...readProfile(given) }
    checkUser(user)
    await withStore(sources, async (db, settings) => {
      // Checked before the prompt, and again when the user is added.
      await requireFreeEmail(db, email)
      if (wantsLink) {
        const issuer = requireIssuer(settings)
        const { user: invited, token } = await inviteUser(db, user, settings, makeActor())
        const { makePasswordLink } = await import('../../accounts/passwords.ts')
        const link = makePasswordLink(issuer, token)
        printResult(options, { ...invited, link }, `Added user ${email}.`)
        if (!options.json) console.log(link)
        return
      }
      const { firstName = '', lastName = '' } = user
      const password = await readNewPassword([email, firstName, lastName])
      const added = await addUser(db, { ...user, password }, settings, makeActor())
      printResult(options, added, `Added user ${email}.`)
    })
  }
}

const set: Command = {
  summary: 'Change the profile or the role of a user',
  args: '<email>',
  options: {
    ...profileOptions,
    '--no-wallets': 'remove all wallet addresses',
    '--no-where': 'all templates',
    ...jsonOption
  },
  details: `
Changes only what is given; --wallet replaces all addresses. An empty text clears a field. The next token response has the
new profile; a new role counts at once, also for tokens that were issued before. \`user passwd\` changes the password.`,
  async run({ sources, options }, email) {
    const { updateUser } = await loadUsers()
    const none = options.wallets === false
    if (none && options.wallet) throw new UsageError('give --wallet or --no-wallets, not both')
    const profile = { ...readProfile(options), ...(none && { wallets: [] }) }
    requireChange(profile)
    const user = await withStore(sources, db => updateUser(db, email, profile, makeActor()))
    printResult(options, user, `Changed user ${email}.`)
  }
}

const passwd: Command = {
  summary: 'Change the password of a user',
  args: '<email>',
  options: { ...linkOption, ...jsonOption },
  details: `
Prompts for the new password, or reads it from standard input. It must have at least 12 characters and not be easy to
guess. All tokens of the user are revoked, and a locked account is unlocked. With --link, this happens when the user
has chosen the password.`,
  async run({ sources, options }, email) {
    const { requireUser, setPassword, omitSecrets } = await loadUsers()
    await withStore(sources, async (db, settings) => {
      const user = await requireUser(db, email)
      if (options.link) {
        const link = await makeLink(db, settings, email)
        if (options.json) return printJson({ email, link })
        return console.log(link)
      }
      const password = await readNewPassword([email, user.firstName, user.lastName])
      await setPassword(db, email, password, settings, makeActor())
      printResult(options, omitSecrets(user), `Changed the password of ${email}.`)
    })
  }
}

const consents: Command = {
  summary: 'List what a user has allowed OAuth clients, or take it back',
  args: '<email>',
  options: { '--revoke <client>': 'take it back, and end the logins of this client', ...jsonOption },
  details: 'Users are asked when they log in for a client that was added without --first-party.',
  async run({ sources, options }, email) {
    const { revoke } = options
    const { listConsents, revokeConsent } = await import('../../accounts/consents.ts')
    await withStore(sources, async db => {
      if (revoke === undefined) return printList(options, await listConsents(db, email))
      await revokeConsent(db, email, revoke, makeActor())
      console.error(toPlainText(`Client ${revoke} has to ask user ${email} again.`))
    })
  }
}

const identities: Command = {
  summary: 'List who a user is at OpenID providers, or change it',
  args: '<email>',
  options: {
    '--link <subject>': 'let the user log in with this subject of the provider',
    '--unlink <subject>': 'end that; `user disable` ends the tokens of the user',
    '--issuer <url>': 'the issuer of the provider, for --link and --unlink',
    ...jsonOption
  },
  details: `
The log has the subject of somebody who was refused: "login refused". Whoever has the subject at the provider gets the
account, so make sure that it is the same person.`,
  async run({ sources, options }, email) {
    const { link, unlink, issuer } = options
    const { linkIdentity, listIdentities, unlinkIdentity } = await import('../../accounts/identities.ts')
    const subject = link ?? unlink
    if (link !== undefined && unlink !== undefined) throw new UsageError('give --link or --unlink, not both')
    if ((subject === undefined) !== (issuer === undefined))
      throw new UsageError('--issuer belongs to --link and --unlink')
    await withStore(sources, async db => {
      if (subject === undefined) return printList(options, await listIdentities(db, email))
      const identity = { issuer, subject }
      await (link === undefined ? unlinkIdentity : linkIdentity)(db, email, identity, makeActor())
      const now = link === undefined ? 'no longer logs in' : 'logs in'
      console.error(toPlainText(`User ${email} ${now} as ${subject} of ${issuer}.`))
    })
  }
}

const passkeys: Command = {
  summary: 'List the passkeys of a user, or remove one',
  args: '<email>',
  options: { '--remove <id>': 'remove it; sessions and tokens go on until `user disable`', ...jsonOption },
  details:
    'Users add passkeys themselves, at /oauth/account, if PASSKEYS is on. A new password does not remove them.',
  async run({ sources, options }, email) {
    const { listPasskeys, removePasskey } = await import('../../accounts/passkeys.ts')
    const { remove } = options
    await withStore(sources, async db => {
      if (remove === undefined) return printList(options, await listPasskeys(db, email))
      const user = await (await loadUsers()).requireUser(db, email)
      if (!(await removePasskey(db, user, remove, makeActor())))
        throw accountMissing(`passkey ${remove} of user ${email}`)
      console.error(toPlainText(`Passkey ${remove} of user ${email} is removed.`))
    })
  }
}

const shared = makeSharedCommands('user', 'email', {
  disable:
    'The user can no longer log in. All tokens of the user are revoked, even if the user is enabled again.',
  remove: 'All tokens of the user end at once. `user disable` does that too, and can be undone.'
})

export const command: Command = {
  summary: 'Add, change and remove users',
  subcommands: { add, set, passwd, consents, identities, passkeys, ...shared }
}
