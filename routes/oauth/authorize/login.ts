import type { FastifyInstance, FastifyReply } from 'fastify'
import { authenticateUser } from '../../../accounts/login.ts'
import { maxEmailLength, type StoredUser } from '../../../db/accounts/users.ts'
import {
  foreignForm,
  invalidGrant,
  type PublicError,
  returnPublicError,
  toLogFields
} from '../../../runtime/errors.ts'
import type { AccountSection } from '../account/show.ts'
import type { Html, PageScript } from '../pages/layout.ts'
import { type LoginMethods, loginPage, loginScripts } from '../pages/pages.ts'
import { makeHiddenFields, sendPage, type Visit } from './request.ts'

/** A way to authenticate the user by the form of the login page. */
export interface AuthenticationMethod {
  /** Throws `invalid_grant` or 429 if the login is refused, 503 if the service is busy. */
  authenticate(visit: Visit): Promise<StoredUser>
  /** The message for the user after an `invalid_grant`. */
  refusal: string
}

/** A way to log in at another site. */
interface LoginElsewhere {
  /** The URL of the site. */
  site: string
  /** Sends the browser to the site, which sends it back to an endpoint of the feature. */
  start(visit: Visit): Promise<FastifyReply>
}

/** A way to log in beside the password. */
export type LoginMethod = (AuthenticationMethod | LoginElsewhere) & {
  /** The value of its button, `decision`. */
  decision: string
  /** Its part of the login page. */
  part: Html
  script?: PageScript
  /** Its part of the page where users see and change their account. */
  accountSection?: AccountSection
}

/** Lists the ways to log in beside the password. */
export const listLoginMethods = (app: FastifyInstance): LoginMethod[] =>
  app.productServerAdditions.flatMap(({ loginMethods }) => loginMethods?.(app) ?? [])

export const logInWithPassword: AuthenticationMethod = {
  refusal: 'E-mail address or password is wrong.',
  async authenticate({ settings, form, reply }) {
    const { productMetrics, productStore } = reply.server
    const { username: email = '', password = '' } = form
    if (!settings.passwordLogin) throw foreignForm('PASSWORD_LOGIN is false')
    if (email === '' || password === '' || email.length > maxEmailLength)
      throw invalidGrant('incomplete form')
    return productMetrics.countLogin(authenticateUser(productStore, settings, { email, password }))
  }
}

/** Logs the user in. If the user can correct the error, shows the login page again and returns the reply. */
export async function tryLogin(
  visit: Visit,
  method: AuthenticationMethod
): Promise<FastifyReply | undefined> {
  const { reply, browser, client } = visit
  const audit = { clientId: client.id, remoteAddress: reply.request.ip }
  const logIn = async () => browser.logIn(await method.authenticate(visit), { clientId: client.id })
  // The login page treats a busy service like a refused login.
  const refused = await logIn().catch(returnPublicError)
  if (!refused) return undefined
  reply.request.log.info({ ...audit, ...toLogFields(refused) }, 'login refused')
  return showRefusal(visit, refused, method.refusal)
}

function showRefusal(visit: Visit, error: PublicError, refusal: string): Promise<FastifyReply> {
  const { code, statusCode, retryAfter } = error
  const problem = code === 'invalid_grant' ? refusal : problems.get(statusCode)
  if (problem === undefined) throw error
  if (retryAfter !== undefined) visit.reply.code(statusCode).header('Retry-After', retryAfter)
  return showLogin(visit, problem)
}

/** The messages for refusals after which a login may succeed later. */
const problems = new Map([
  [429, 'Too many failed logins. Try again later.'],
  [503, 'The service is busy. Try again in a moment.']
])

/** Shows the login page. After a refusal, it has the reason and the typed address, even of an unknown account. */
export async function showLogin(visit: Visit, problem?: string): Promise<FastifyReply> {
  const { form, reply, settings } = visit
  const methods = listLoginMethods(reply.server)
  const ways: LoginMethods = { hasPassword: settings.passwordLogin, methods }
  const email = problem === undefined ? form.login_hint : form.username
  const page = loginPage(visit, makeHiddenFields(visit, visit.scopes), ways, { email, problem })
  const sites = methods.flatMap(method => ('site' in method ? method.site : []))
  return sendPage(visit, page, loginScripts(ways), sites)
}
