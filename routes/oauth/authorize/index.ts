import type { FastifyReply } from 'fastify'
import { findConsent } from '../../../db/accounts/consents.ts'
import type { Session } from '../../../db/accounts/sessions.ts'
import { longestEmail } from '../../../db/accounts/users.ts'
import { accessDenied, consentRequired, foreignForm, loginRequired, PublicError } from '../../../errors.ts'
import type { ServiceSettings } from '../../../options.ts'
import type { Route } from '../../route.ts'
import { authenticateUser } from '../grants/password.ts'
import { beginLogin } from '../login/begin.ts'
import { pageHeaders } from '../pages/layout.ts'
import { consentPage, loginPage, providerPrefix } from '../pages/pages.ts'
import { showPassword } from '../pages/show-password.ts'
import { type Form, scopesOfRole } from '../protocol.ts'
import { Browser } from './browser.ts'
import { sendCode } from './code.ts'
import {
  type AuthorizationRequest,
  checkRequest,
  findTarget,
  readParameters,
  redirect,
  requestParameters,
  type Target,
  targetsOfForms
} from './request.ts'

/** The authorization endpoint, RFC 6749 §3.1. */
export const authorize: Route = (_app, settings) => ({
  exposeHeadRoute: false,
  handler: (_request, reply) => answerClient(reply, settings)
})

/** A browser's request, and the data that is needed to answer it. */
interface Visit extends Target, AuthorizationRequest {
  settings: ServiceSettings
  reply: FastifyReply
  form: Form
  browser: Browser
}

async function answerClient(reply: FastifyReply, settings: ServiceSettings): Promise<FastifyReply> {
  const { request, server } = reply
  const parameters = readParameters(request)
  const target = await findTarget(server, parameters)
  try {
    const wanted = checkRequest(server, target, parameters, settings)
    const browser = await Browser.open(reply, settings)
    return await answer({ settings, reply, form: parameters.form, browser, ...target, ...wanted })
  } catch (error) {
    if (!isForClient(error)) throw error
    const { code, detail: reason, message } = error
    const audit = { clientId: target.client.id, code, reason, remoteAddress: request.ip }
    request.log.info(audit, 'authorization refused')
    return redirect(reply, target, { error: code, error_description: message })
  }
}

/** Errors of the browser and the limits do not concern the client, so they are pages. */
const isForClient = (error: unknown): error is PublicError =>
  error instanceof PublicError && error.statusCode === 400

function answer(visit: Visit): Promise<FastifyReply> {
  const { reply, form, browser } = visit
  const isPost = reply.request.method === 'POST'
  const decision = isPost ? form.decision : undefined
  // A POST from another site has no `SameSite=Lax` cookie, even if the user is logged in.
  if (decision === undefined) return isPost && !browser.isKnown ? askByGet(visit) : begin(visit)
  browser.checkForm(form)
  if (decision.startsWith(providerPrefix))
    return beginLogin(reply, browser, decision.slice(providerPrefix.length), pickRequest(form))
  const decide = decisions.get(decision)
  if (!decide) throw foreignForm('unknown decision')
  return decide(visit)
}

/** Redirects the browser to GET, which has the cookie. A page would replace the cookie and so end the session. */
const askByGet = async ({ reply, form }: Visit): Promise<FastifyReply> =>
  reply.redirect(`authorize?${new URLSearchParams(pickRequest(form))}`, 303)

/** The fields that the forms of the pages send. */
const decisions = new Map<string, (visit: Visit) => Promise<FastifyReply>>([
  ['login', logIn],
  ['allow', allow],
  ['switch', async visit => visit.browser.logOut().then(() => showLogin(visit))],
  ['cancel', () => Promise.reject(accessDenied())]
])

/** Answers an authorization request of a client. */
async function begin(visit: Visit): Promise<FastifyReply> {
  const { browser, prompt, maxAge } = visit
  const { session } = browser
  const isEnough =
    session && !prompt.includes('login') && ageOf(session) <= (maxAge ?? Number.POSITIVE_INFINITY)
  if (isEnough) return proceed(visit, session)
  if (prompt.includes('none')) throw loginRequired()
  return showLogin(visit)
}

async function logIn(visit: Visit): Promise<FastifyReply> {
  const { settings, form, browser, client } = visit
  const { request, server } = visit.reply
  const { username: email = '', password = '' } = form
  if (!settings.passwordLogin) throw foreignForm('PASSWORD_LOGIN is false')
  if (email === '' || password === '' || email.length > longestEmail) return showLoginAgain(visit, wrongLogin)
  const audit = { clientId: client.id, remoteAddress: request.ip }
  try {
    const user = await authenticateUser(server, settings, { email, password })
    await browser.logIn(user)
    request.log.info({ ...audit, sub: user.id }, 'user logged in')
  } catch (error) {
    if (!(error instanceof PublicError)) throw error
    request.log.info({ ...audit, code: error.code, reason: error.detail }, 'login refused')
    return showRefusal(visit, error)
  }
  return proceed(visit, browser.session as Session)
}

/** Shows the login page again if the user can correct the error. */
function showRefusal(visit: Visit, error: PublicError): Promise<FastifyReply> {
  if (error.code === 'invalid_grant') return showLoginAgain(visit, wrongLogin)
  if (error.retryAfter === undefined) throw error
  visit.reply.code(error.statusCode).header('Retry-After', error.retryAfter)
  return showLoginAgain(visit, error.statusCode === 429 ? tooManyLogins : busy)
}

const wrongLogin = 'E-mail address or password is wrong.'
const tooManyLogins = 'Too many failed logins. Try again later.'
const busy = 'The service is busy. Try again in a moment.'

/** Seconds that a user may take for the consent after a requested login. */
const loginPatience = 600

async function allow(visit: Visit): Promise<FastifyReply> {
  const { browser, prompt, maxAge = Number.POSITIVE_INFINITY } = visit
  const { session } = browser
  const oldest = prompt.includes('login') ? loginPatience : maxAge + loginPatience
  if (!session || ageOf(session) > oldest) return showLogin(visit)
  return sendCode(visit, session, { isAllowed: true })
}

/** Sends a code, or first asks the user for consent. */
async function proceed(request: Visit, session: Session): Promise<FastifyReply> {
  // Nobody is asked to allow what they may not do themselves.
  const visit = { ...request, scopes: scopesOfRole(request.scopes, session.user.role) }
  const { reply, client, scopes, prompt } = visit
  const given = client.firstParty
    ? scopes
    : await findConsent(reply.server.productStore, { userId: session.user.id, clientId: client.id })
  const isMissing = prompt.includes('consent') || scopes.some(scope => !given.includes(scope))
  if (!isMissing) return sendCode(visit, session)
  if (prompt.includes('none')) throw consentRequired()
  return sendPage(visit, consentPage(visit, hiddenOf(visit), { email: session.user.email, scopes }))
}

/** `again`: the address that was typed, whether there is such an account or not, and why it was refused. */
async function showLogin(visit: Visit, again?: { email: string; problem: string }): Promise<FastifyReply> {
  const { reply, settings } = visit
  const providers = reply.server.productLoginProviders.map(({ provider }) => provider)
  const ways = { hasPassword: settings.passwordLogin, providers }
  const typed = again ?? { email: visit.form.login_hint ?? '' }
  return sendPage(visit, loginPage(visit, hiddenOf(visit), ways, typed), showPassword.hash)
}

const showLoginAgain = (visit: Visit, problem: string): Promise<FastifyReply> =>
  showLogin(visit, { email: visit.form.username ?? '', problem })

/** The page may send its forms to the service, which redirects the browser to the client or to a provider. */
function sendPage({ reply, redirectUri }: Visit, text: string, scriptHash?: string): FastifyReply {
  const issuers = reply.server.productLoginProviders.map(({ provider }) => provider.issuer)
  return reply.headers(pageHeaders(targetsOfForms(redirectUri, ...issuers), scriptHash)).send(text)
}

/** Contains the scopes of this page, because the client's default scopes may change before the form is sent. */
const hiddenOf = ({ browser, form, scopes }: Visit): Form => ({
  csrf: browser.csrf(),
  ...pickRequest({ ...form, scope: scopes.join(' ') })
})

/** The parameters of a form that belong to the client's request. */
const pickRequest = (form: Form): Form =>
  Object.fromEntries(Object.entries(form).filter(([name]) => requestParameters.includes(name)))

/** Seconds since the login. */
const ageOf = ({ timeCreated }: Session): number => (Date.now() - Date.parse(timeCreated)) / 1000
