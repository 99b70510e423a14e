import type { FastifyReply } from 'fastify'
import { isDescribed, saveDescribedClient } from '../../../accounts/clients.ts'
import { generateSecret, hashSecret, matchesSecret } from '../../../accounts/credentials/secrets.ts'
import { addConsent, findConsent } from '../../../db/accounts/logins/consents.ts'
import { insertCode } from '../../../db/accounts/logins/one-time.ts'
import type { Session } from '../../../db/accounts/logins/sessions.ts'
import { makeUserActor } from '../../../db/audit/record.ts'
import { transact } from '../../../db/transaction.ts'
import { secondsSince } from '../../../domain/timestamp.ts'
import type { ServiceSettings } from '../../../options/index.ts'
import type { ErrorCode } from '../../../runtime/error-codes.ts'
import {
  accessDenied,
  consentRequired,
  foreignForm,
  loginRequired,
  PublicError,
  toLogFields
} from '../../../runtime/errors.ts'
import type { Route } from '../../route.ts'
import { consentPage } from '../pages/pages.ts'
import { limitScopes, readPageParameters } from '../parameters.ts'
import { Browser, recentLoginSeconds } from './browser.ts'
import {
  type AuthenticationMethod,
  listLoginMethods,
  logInWithPassword,
  showLogin,
  tryLogin
} from './login.ts'
import {
  asksLogin,
  checkRequest,
  findRedirectTarget,
  makeHiddenFields,
  pickParameters,
  type RedirectTarget,
  redirectToClient,
  sendPage,
  type Visit
} from './request.ts'

/** The authorization endpoint, RFC 6749 §3.1. */
export const authorize: Route = (_app, settings) => ({
  exposeHeadRoute: false,
  handler: (_request, reply) => answerClient(reply, settings)
})

async function answerClient(reply: FastifyReply, settings: ServiceSettings): Promise<FastifyReply> {
  const { request, server } = reply
  const parameters = readPageParameters(request)
  const target = await findRedirectTarget(request, parameters)
  try {
    const wanted = checkRequest(server, target, parameters)
    const browser = await Browser.open(reply, settings)
    return await answer({ settings, reply, form: parameters.form, browser, ...target, ...wanted })
  } catch (error) {
    if (!isForClient(error, target)) throw error
    const audit = { clientId: target.client.id, ...toLogFields(error), remoteAddress: request.ip }
    request.log.info(audit, 'authorization refused')
    return redirectToClient(reply, target, { error: error.code, error_description: error.message })
  }
}

/** RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6, RFC 8707 §2. */
const codesForClient = new Set<ErrorCode>([
  'access_denied',
  'consent_required',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'login_required',
  'request_not_supported',
  'request_uri_not_supported',
  'unauthorized_client',
  'unsupported_response_type'
])

/**
 * Other errors are about the browser or the limits. They do not concern the client, so the user gets them as pages.
 * Anybody can describe a client, so its errors are pages, too: a link to the service must not lead to a site that
 * nobody here trusts, RFC 9700 §4.11.2. Only a user who cancels goes there, because the page has named the site.
 */
const isForClient = (error: unknown, { client }: RedirectTarget): error is PublicError =>
  error instanceof PublicError &&
  codesForClient.has(error.code) &&
  (error.code === 'access_denied' || !isDescribed(client.id))

async function answer(visit: Visit): Promise<FastifyReply> {
  const { reply, form, browser } = visit
  const isPost = reply.request.method === 'POST'
  const decision = isPost ? form.decision : undefined
  // A POST from another site has no `SameSite=Lax` cookie, even if the user is logged in. By GET, the browser sends it.
  // A page would replace the cookie and so end the session.
  if (isPost && decision === undefined && !browser.isKnown) return reply.redirect(makePath(visit), 303)
  if (decision === undefined) return begin(visit)
  const refusal = browser.refuseForm(form, makePath(visit))
  if (refusal) return refusal
  const decide = decisions.get(decision)
  if (decide) return decide(visit)
  const method = listLoginMethods(reply.server).find(method => method.decision === decision)
  if (!method) throw foreignForm('unknown decision')
  return 'start' in method ? method.start(visit) : logIn(visit, method)
}

/** Makes the path of the same request by GET. */
const makePath = ({ form }: Visit): string => `authorize?${new URLSearchParams(pickParameters(form))}`

/** The actions of the pages' forms, by the value of the field `decision`. */
const decisions = new Map<string, (visit: Visit) => Promise<FastifyReply>>([
  ['login', visit => logIn(visit, logInWithPassword)],
  ['allow', allow],
  ['switch', async visit => visit.browser.logOut().then(() => showLogin(visit))],
  ['cancel', () => Promise.reject(accessDenied())]
])

/** Answers an authorization request of a client. */
async function begin(visit: Visit): Promise<FastifyReply> {
  const { browser, prompt, maxAge = Number.POSITIVE_INFINITY, hintedSubject } = visit
  const { session } = browser
  const isEnough =
    session &&
    !asksLogin(prompt) &&
    secondsSince(session.timeCreated) <= maxAge &&
    (hintedSubject ?? session.user.id) === session.user.id
  if (isEnough) return consentOrSendCode(visit, session)
  if (prompt.includes('none')) throw loginRequired()
  return showLogin(visit)
}

/** Logs the user in, or shows the login page again. */
async function logIn(visit: Visit, method: AuthenticationMethod): Promise<FastifyReply> {
  const refusal = await tryLogin(visit, method)
  return refusal ?? consentOrSendCode(visit, visit.browser.session as Session)
}

async function allow(visit: Visit): Promise<FastifyReply> {
  const { browser, form, prompt, maxAge = Number.POSITIVE_INFINITY } = visit
  const { session } = browser
  const proof = browser.consentProof(pickParameters(form))
  if (!matchesSecret(form.consent ?? '', hashSecret(proof))) return begin(visit)
  const oldest = asksLogin(prompt) ? recentLoginSeconds : maxAge + recentLoginSeconds
  if (!session || secondsSince(session.timeCreated) > oldest) return showLogin(visit)
  return sendCode(visit, session, visit.scopes, { isAllowed: true })
}

/** Sends a code, or first asks the user for consent. */
async function consentOrSendCode(visit: Visit, session: Session): Promise<FastifyReply> {
  const { reply, browser, client, scopes, prompt } = visit
  const allowed = limitScopes(scopes, session.user.role)
  const asksConsent = prompt.includes('consent')
  // Without a consent, the code keeps scopes that the role does not allow, because the role may be raised.
  if (client.firstParty && !asksConsent) return sendCode(visit, session, scopes)
  const parties = { userId: session.user.id, clientId: client.id }
  const given = await findConsent(reply.server.productStore, parties)
  if (!asksConsent && allowed.every(scope => given.includes(scope))) return sendCode(visit, session, allowed)
  if (prompt.includes('none')) throw consentRequired()
  // Users are not asked for scopes that their own role does not allow.
  const hidden = makeHiddenFields(visit, allowed)
  const fields = { ...hidden, consent: browser.consentProof(pickParameters(hidden)) }
  return sendPage(visit, consentPage(visit, fields, { email: session.user.email, scopes: allowed }))
}

/** Sends a code that is bound to the whole request, RFC 6749 §4.1.2. With `isAllowed`, the user has just consented. */
async function sendCode(
  visit: Visit,
  { user, timeCreated }: Session,
  scopes: string[],
  { isAllowed = false } = {}
): Promise<FastifyReply> {
  const { reply, client, redirectUri, challenge, nonce, resource } = visit
  const code = generateSecret()
  const parties = { clientId: client.id, userId: user.id }
  await transact(reply.server.productStore, async transaction => {
    // The client is stored only now, so that nobody can fill the database without a login.
    if (isDescribed(client.id))
      await saveDescribedClient(transaction, client, makeUserActor(user, reply.request))
    if (isAllowed) await addConsent(transaction, parties, scopes)
    await insertCode(transaction, {
      hash: hashSecret(code),
      client_id: client.id,
      user_id: user.id,
      token_epoch: user.tokenEpoch,
      redirect_uri: redirectUri,
      challenge,
      scope: scopes.join(' '),
      nonce,
      resource,
      time_authenticated: timeCreated
    })
  })
  const audit = { clientId: client.id, sub: user.id, remoteAddress: reply.request.ip }
  reply.request.log.info({ ...audit, scopes: limitScopes(scopes, user.role) }, 'authorization granted')
  return redirectToClient(reply, visit, { code })
}
