import { accountMissing } from '../../runtime/host-errors.ts'
import type { Command } from '../../terminal/command.ts'
import { jsonOption, printList, printResult } from '../../terminal/result.ts'
import { makeActor, withStore } from '../../terminal/store.ts'

export const command: Command = {
  summary: 'List the passkeys of a user, or delete one',
  args: '<email>',
  options: {
    '--delete <id>': 'delete this passkey; sessions and tokens stay valid until `user disable`',
    ...jsonOption
  },
  details:
    'Users add passkeys themselves, at /oauth/account, if PASSKEYS is on. A new password does not delete them.',
  async run({ sources, options }, email) {
    const { listPasskeys, deletePasskey } = await import('./passkeys.ts')
    const { delete: id } = options
    await withStore(sources, async db => {
      if (id === undefined) return printList(options, await listPasskeys(db, email))
      const { requireUser } = await import('../../accounts/users.ts')
      const user = await requireUser(db, email)
      if (!(await deletePasskey(db, user, id, makeActor())))
        throw accountMissing(`passkey ${id} of user ${email}`)
      printResult(options, { email, id }, `Passkey ${id} of user ${email} is deleted.`)
    })
  }
}
