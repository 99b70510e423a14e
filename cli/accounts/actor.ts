import { userInfo } from 'node:os'
import type { AuditActor } from '../../db/audit/record.ts'

/** Who runs a command, for the audit trail. */
export const makeActor = (): AuditActor => ({
  subject: null,
  clientId: 'command line',
  name: findSystemUser(),
  address: null
})

/** A container may run as a user who has no name. */
function findSystemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
