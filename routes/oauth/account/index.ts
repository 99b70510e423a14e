import type { FastifyReply } from 'fastify'
import { replacePassword } from '../../../accounts/passwords.ts'
import { endSessions } from '../../../accounts/users.ts'
import { findWeakness } from '../../../credentials/password-strength.ts'
import { hashPassword } from '../../../credentials/secrets.ts'
import { deleteConsent, listConsents } from '../../../db/accounts/consents.ts'
import { revokeFamilies } from '../../../db/accounts/refresh-tokens.ts'
import type { Session } from '../../../db/accounts/sessions.ts'
import { findUserById, type StoredUser } from '../../../db/accounts/users.ts'
import { type AuditActor, noActor, recordUserEvent } from '../../../db/audit/record.ts'
import { transact } from '../../../db/transaction.ts'
import { foreignForm, invalidGrant, PublicError } from '../../../errors.ts'
import type { ServiceSettings } from '../../../options.ts'
import type { Route } from '../../route.ts'
import { Browser } from '../authorize/browser.ts'
import { readParameters, repeatedParameter } from '../authorize/request.ts'
import { authenticateUser } from '../grants/password.ts'
import { accountPage, noAccountPage } from '../pages/account.ts'
import { pageHeaders } from '../pages/layout.ts'
import type { Form } from '../protocol.ts'

/** What a page says at its top. */
interface Notice {
  text: string
  isProblem?: boolean
}

interface Visit {
  reply: FastifyReply
  settings: ServiceSettings
  browser: Browser
  form: Form
  user: StoredUser
}

/** The account of the user who is logged in at the login page. */
export const accountGet: Route = (_app, settings) => ({
  exposeHeadRoute: false,
  handler: async (_request, reply) => {
    const browser = await Browser.open(reply, settings)
    if (!browser.session) return reply.send(noAccountPage())
    return show({ reply, settings, browser, form: {}, user: browser.session.user })
  }
})

export const accountPost: Route = (_app, settings) => ({
  handler: async (request, reply) => {
    const browser = await Browser.open(reply, settings)
    const { form, repeated } = readParameters(request)
    if (repeated.size > 0) throw repeatedParameter()
    browser.checkForm(form)
    if (!browser.session) return reply.send(noAccountPage())
    const act = actions.get(form.decision ?? '')
    if (!act) throw foreignForm('unknown decision')
    return act({ reply, settings, browser, form, user: browser.session.user })
  }
})

const actions = new Map<string, (visit: Visit) => Promise<FastifyReply>>([
  ['password', changePassword],
  ['revoke', revoke],
  ['everywhere', logOutEverywhere]
])

/** Ends all other sessions and tokens. This browser stays logged in. */
async function changePassword(visit: Visit): Promise<FastifyReply> {
  const { reply, settings, browser, form, user } = visit
  const { current = '', password = '' } = form
  const { log, server } = reply.request
  if (!settings.passwordLogin) throw foreignForm('PASSWORD_LOGIN is false')
  const weakness = await findWeakness(password, [user.email, user.firstName, user.lastName])
  if (weakness !== undefined) return show(visit, { text: `${weakness}.`, isProblem: true })
  try {
    await authenticateUser(server, settings, { email: user.email, password: current })
  } catch (error) {
    if (!(error instanceof PublicError) || error.statusCode >= 500) throw error
    log.info({ sub: user.id, code: error.code, reason: error.detail }, 'password not changed')
    reply.code(error.statusCode === 429 ? 429 : 200)
    const text =
      error.statusCode === 429
        ? 'Too many wrong passwords. Try again later.'
        : 'The current password is wrong.'
    return show(visit, { text, isProblem: true })
  }
  const passwordHash = await hashPassword(password, settings)
  const changed = await transact(server.productStore, async db => {
    // Somebody may have set another password meanwhile, or disabled the user.
    const current = await findUserById(db, user.id)
    if (!current || current.disabled || current.tokenEpoch !== user.tokenEpoch)
      throw invalidGrant(`user ${user.id} has changed since`)
    await replacePassword(db, current, passwordHash, actorOf(visit), 'user.change_password')
    return findUserById(db, user.id)
  })
  log.info({ sub: user.id, remoteAddress: reply.request.ip }, 'password changed')
  await browser.logIn(changed as StoredUser)
  return show(visit, { text: 'Your password is changed. You are logged out everywhere else.' })
}

/** Takes back what the user has allowed a client, and ends the client's logins. */
async function revoke(visit: Visit): Promise<FastifyReply> {
  const { reply, form, user } = visit
  const { client: clientId = '' } = form
  await transact(reply.server.productStore, async db => {
    if (await deleteConsent(db, { userId: user.id, clientId }))
      await recordUserEvent(db, actorOf(visit), 'user.revoke_consent', user, { clientId })
    await revokeFamilies(db, { user_id: user.id, client_id: clientId })
  })
  reply.request.log.info({ sub: user.id, clientId }, 'consent taken back')
  return show(visit, { text: `${clientId} has to ask you again.` })
}

async function logOutEverywhere(visit: Visit): Promise<FastifyReply> {
  const { reply, browser, user } = visit
  await endSessions(reply.server.productStore, user.email, actorOf(visit))
  await browser.logOut()
  return reply.send(noAccountPage('You are logged out everywhere, and all access of applications has ended.'))
}

/** The user, at the browser. */
const actorOf = ({ reply, user }: Visit): AuditActor => ({
  ...noActor,
  subject: user.id,
  address: reply.request.ip || null
})

async function show({ reply, settings, browser }: Visit, notice?: Notice): Promise<FastifyReply> {
  const { user } = browser.session as Session
  const consents = await listConsents(reply.server.productStore, user.id)
  const page = accountPage({
    user,
    consents,
    csrf: browser.csrf(),
    hasPassword: settings.passwordLogin,
    notice
  })
  return reply.headers(pageHeaders("'self'")).send(page)
}
