import type { FastifyReply } from 'fastify'
import { deleteSession } from '../../../db/accounts/logins/sessions.ts'
import { revokeFamilies } from '../../../db/accounts/refresh-tokens.ts'
import { recordUserEvent } from '../../../db/audit/record.ts'
import { transact } from '../../../db/transaction.ts'
import { noAccountPage } from '../pages/account.ts'
import { actorOf, show, type Visit } from './show.ts'

/** Ends the login of a browser. What applications may do meanwhile is not tied to it. */
export async function endSession(visit: Visit): Promise<FastifyReply> {
  const { reply, browser, form, user } = visit
  const { session: hash = '' } = form
  const { log, server } = reply.request
  if (hash === browser.session?.hash) {
    await browser.logOut()
    return reply.send(noAccountPage('You are logged out here.'))
  }
  await transact(server.productStore, async db => {
    await deleteSession(db, hash, user.id)
    await recordUserEvent(db, actorOf(visit), 'user.end_session', user)
  })
  log.info({ sub: user.id, remoteAddress: reply.request.ip }, 'session ended by its user')
  return show(visit, { text: 'That browser is logged out.' })
}

/** Ends the login of an application, with all its tokens. */
export async function endLogin(visit: Visit): Promise<FastifyReply> {
  const { reply, form, user } = visit
  const { login: id = '' } = form
  await transact(reply.server.productStore, async db => {
    await revokeFamilies(db, { id, user_id: user.id })
    await recordUserEvent(db, actorOf(visit), 'user.end_login', user)
  })
  reply.request.log.info({ sub: user.id, sid: id }, 'login of a client ended by its user')
  return show(visit, { text: 'That application is logged out.' })
}
