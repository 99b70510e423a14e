import { type Command, UsageError } from '../../terminal/command.ts'
import { jsonOption, printList, printResult } from '../../terminal/result.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

export const command: Command = {
  summary: 'List the identities of a user at OpenID providers, or change them',
  args: '<email>',
  options: {
    '--link <subject>': 'let the user log in with this subject of the provider',
    '--unlink <subject>': 'end the login with this subject; `user disable` also ends the tokens of the user',
    '--issuer <url>': 'the issuer of the provider, for --link and --unlink',
    ...jsonOption
  },
  details: `
If a login was refused, the log line "login refused" has the subject. Whoever has the subject at the provider gets access
to the account, so make sure that it is the same person.`,
  async run({ sources, options }, email) {
    const { link, unlink, issuer } = options
    const { linkIdentity, listIdentities, unlinkIdentity } = await import('./identities.ts')
    const subject = link ?? unlink
    if (link !== undefined && unlink !== undefined) throw new UsageError('give --link or --unlink, not both')
    if ((subject === undefined) !== (issuer === undefined))
      throw new UsageError('give --issuer together with --link or --unlink')
    await withStore(sources, async db => {
      if (subject === undefined) return printList(options, await listIdentities(db, email))
      const identity = { issuer, subject }
      await (link === undefined ? unlinkIdentity : linkIdentity)(db, email, identity, makeActor())
      const now = link === undefined ? 'no longer logs in' : 'logs in'
      printResult(options, { email, ...identity }, `User ${email} ${now} as ${subject} of ${issuer}.`)
    })
  }
}
