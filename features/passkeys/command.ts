import { accountMissing } from '../../runtime/host-errors.ts'
import type { Command } from '../../terminal/command.ts'
import { toPlainText } from '../../terminal/plain-text.ts'
import { jsonOption, printList } from '../../terminal/result.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

export const command: Command = {
  summary: 'List the passkeys of a user, or remove one',
  args: '<email>',
  options: { '--remove <id>': 'remove it; sessions and tokens go on until `user disable`', ...jsonOption },
  details:
    'Users add passkeys themselves, at /oauth/account, if PASSKEYS is on. A new password does not remove them.',
  async run({ sources, options }, email) {
    const { listPasskeys, removePasskey } = await import('./passkeys.ts')
    const { remove } = options
    await withStore(sources, async db => {
      if (remove === undefined) return printList(options, await listPasskeys(db, email))
      const { requireUser } = await import('../../accounts/users.ts')
      const user = await requireUser(db, email)
      if (!(await removePasskey(db, user, remove, makeActor())))
        throw accountMissing(`passkey ${remove} of user ${email}`)
      console.error(toPlainText(`Passkey ${remove} of user ${email} is removed.`))
    })
  }
}
