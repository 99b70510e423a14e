import { userInfo } from 'node:os'
import type { AuditActor } from '../../db/audit/record.ts'

/** Who runs a command, for the audit trail. */
export const commandLine = (): AuditActor => ({
  subject: null,
  clientId: 'command line',
  name: findUserName(),
  address: null
})

/** A container may run as a user who has no name. */
function findUserName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
