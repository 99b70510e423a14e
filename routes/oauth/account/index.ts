import { findWeakness } from '../../../accounts/credentials/password-strength.ts'
import { hashPassword } from '../../../accounts/credentials/secrets.ts'
import { replacePassword } from '../../../accounts/passwords.ts'
import { endSessions, revokeConsent } from '../../../accounts/users.ts'
import { deleteSession } from '../../../db/accounts/logins/sessions.ts'
import { revokeFamilies } from '../../../db/accounts/refresh-tokens.ts'
import { findUnchangedUser, findUserById } from '../../../db/accounts/users.ts'
import { makeUserActor, recordEvent } from '../../../db/audit/record.ts'
import { transact } from '../../../db/transaction.ts'
import { foreignForm, returnPublicError } from '../../../runtime/errors.ts'
import { StoreError } from '../../../runtime/host-errors.ts'
import type { Route } from '../../route.ts'
import { Browser } from '../authorize/browser.ts'
import { listLoginMethods } from '../authorize/login.ts'
import type { Notice } from '../pages/account.ts'
import { readPageParameters, repeatedParameter } from '../parameters.ts'
import { type AccountAction, type AccountVisit, findPasswordProblem, show } from './show.ts'

/** Shows the account of the user who is logged in at the login page. */
export const accountGet: Route = (_app, settings) => ({
  exposeHeadRoute: false,
  handler: async (_request, reply) => {
    const browser = await Browser.open(reply, settings)
    return show(reply, settings, browser)
  }
})

export const accountPost: Route = (app, settings) => ({
  handler: async (request, reply) => {
    const browser = await Browser.open(reply, settings)
    const { form, repeated } = readPageParameters(request)
    if (repeated.size > 0) throw repeatedParameter()
    const refusal = browser.refuseForm(form, 'account')
    if (refusal) return refusal
    if (!browser.session) return show(reply, settings, browser)
    const { decision = '' } = form
    const ofMethods = listLoginMethods(app).map(({ accountSection }) => accountSection?.actions.get(decision))
    const act = actions.get(decision) ?? ofMethods.find(Boolean)
    if (!act) throw foreignForm('unknown decision')
    const { user } = browser.session
    const actor = makeUserActor(user, request)
    const notice = await act({ reply, settings, browser, form, user, actor })
    return show(reply, settings, browser, notice)
  }
})

/** The actions of the forms, by the value of the field `decision`. Each returns a message for the user. */
const actions = new Map<string, AccountAction>([
  ['password', changePassword],
  ['end-session', endSession],
  ['end-login', endLogin],
  ['revoke', revoke],
  ['everywhere', logOutEverywhere]
])

/** Ends all other sessions and tokens. This browser stays logged in, unless the account has changed meanwhile. */
async function changePassword(visit: AccountVisit): Promise<Notice> {
  const { reply, settings, browser, form, user, actor } = visit
  const { log, server, ip: remoteAddress } = reply.request
  const { password = '' } = form
  if (!settings.passwordLogin) throw foreignForm('PASSWORD_LOGIN is false')
  const problem = await findPasswordProblem(visit)
  if (problem !== undefined) return { text: problem, isProblem: true }
  const weakness = await findWeakness(password, user)
  if (weakness !== undefined) return { text: `${weakness}.`, isProblem: true }
  const passwordHash = await hashPassword(password, settings)
  const changed = await transact(server.productStore, async transaction => {
    if (!(await findUnchangedUser(transaction, user))) return undefined
    await replacePassword(transaction, user, passwordHash, actor, 'user.change_password')
    return findUserById(transaction, user.id)
  })
  if (changed) log.info({ sub: user.id, remoteAddress }, 'password changed')
  const refused = changed ? await browser.logIn(changed).catch(returnPublicError) : undefined
  if (changed && !refused) return { text: 'Your password is changed. You are logged out everywhere else.' }
  // A refused login has ended the session already.
  if (!changed) await browser.logOut()
  return { text: 'Your account was changed in the meantime. Log in again.', isProblem: true }
}

/** Revokes the user's consent to a client, and ends the client's logins. */
async function revoke(visit: AccountVisit): Promise<Notice> {
  const { reply, form, user, actor } = visit
  const { client: clientId = '' } = form
  try {
    await revokeConsent(reply.server.productStore, user.email, clientId, actor)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { text: 'That application does not use your account.' }
  }
  reply.request.log.info({ sub: user.id, clientId }, 'consent revoked')
  return { text: `${clientId} must ask for your consent again.` }
}

async function logOutEverywhere(visit: AccountVisit): Promise<Notice> {
  const { reply, browser, user, actor } = visit
  await endSessions(reply.server.productStore, user.email, actor)
  await browser.logOut()
  return { text: 'You are logged out everywhere, and all access of applications has ended.' }
}

/** Ends the login of a browser. Logins of applications do not depend on it. */
async function endSession(visit: AccountVisit): Promise<Notice> {
  const { reply, browser, form, user, actor } = visit
  const { session: hash = '' } = form
  const { log, server } = reply.request
  if (hash === browser.session?.hash) {
    await browser.logOut()
    return { text: 'You are logged out here.' }
  }
  const hasEnded = await transact(server.productStore, async transaction => {
    const isDeleted = await deleteSession(transaction, hash, user.id)
    if (isDeleted) await recordEvent(transaction, actor, 'user.end_session', user)
    return isDeleted
  })
  if (hasEnded) log.info({ sub: user.id, remoteAddress: reply.request.ip }, 'session ended by its user')
  return { text: 'That browser is logged out.' }
}

/** Ends the login of an application, with all its tokens. */
async function endLogin(visit: AccountVisit): Promise<Notice> {
  const { reply, form, user, actor } = visit
  const { login: id = '' } = form
  const hasEnded = await transact(reply.server.productStore, async transaction => {
    const isRevoked = await revokeFamilies(transaction, { id, user_id: user.id })
    if (isRevoked) await recordEvent(transaction, actor, 'user.end_login', user)
    return isRevoked
  })
  if (hasEnded) reply.request.log.info({ sub: user.id, sid: id }, 'login of a client ended by its user')
  return { text: 'That application is logged out.' }
}
