import type { FastifyReply } from 'fastify'
import { authenticateUser } from '../../../accounts/login.ts'
import { listConsents } from '../../../db/accounts/logins/consents.ts'
import { listSessions, type Session } from '../../../db/accounts/logins/sessions.ts'
import { listFamilies } from '../../../db/accounts/refresh-tokens.ts'
import type { StoredUser } from '../../../db/accounts/users.ts'
import type { AuditActor } from '../../../db/audit/record.ts'
import type { ServiceSettings } from '../../../options/index.ts'
import { returnPublicError, toLogFields } from '../../../runtime/errors.ts'
import { hasExplorer } from '../../route.ts'
import type { Browser } from '../authorize/browser.ts'
import { listLoginMethods } from '../authorize/login.ts'
import { accountPage, type Notice, noAccountPage } from '../pages/account.ts'
import { type Html, pageHeaders } from '../pages/layout.ts'
import type { Form } from '../parameters.ts'

/** A form that a user has sent from the page of the account. */
export interface AccountVisit {
  reply: FastifyReply
  settings: ServiceSettings
  browser: Browser
  form: Form
  user: StoredUser
  /** The user, for the audit trail. */
  actor: AuditActor
}

/** The action of a form of the page. Returns a message for the user. */
export type AccountAction = (visit: AccountVisit) => Promise<Notice>

/** The part of a way to log in on the page of the account. Its script is that of the login page. */
export interface AccountSection {
  show(visit: Pick<AccountVisit, 'reply' | 'settings' | 'browser'>, session: Session): Promise<Html>
  /** By the value of the field `decision`. */
  actions: ReadonlyMap<string, AccountAction>
}

/** Sends the page of the account, or a page that says that the user is not logged in. */
export async function show(
  reply: FastifyReply,
  settings: ServiceSettings,
  browser: Browser,
  notice?: Notice
): Promise<FastifyReply> {
  const { session } = browser
  if (!session) return reply.send(noAccountPage(notice?.text))
  const { user } = session
  const { productStore: db } = reply.server
  const methods = listLoginMethods(reply.server)
  const sections = methods.flatMap(({ accountSection }) => accountSection ?? [])
  const scripts = methods.flatMap(({ accountSection, script }) => (accountSection && script) ?? [])
  const page = accountPage({
    user,
    csrf: browser.csrf(),
    hasPassword: settings.passwordLogin,
    sections: await Promise.all(sections.map(({ show }) => show({ reply, settings, browser }, session))),
    scripts,
    sessions: await listSessions(db, user, settings),
    here: session.hash,
    logins: await listFamilies(db, user.id),
    consents: await listConsents(db, user.id),
    notice,
    hasExplorer: hasExplorer(reply)
  })
  return reply.headers(pageHeaders("'self'", scripts)).send(page)
}

/** Checks the password of the user again. Returns a message for the user if it is wrong. */
export async function findPasswordProblem({
  reply,
  settings,
  form,
  user
}: AccountVisit): Promise<string | undefined> {
  const { log, server } = reply.request
  const login = { email: user.email, password: form.current ?? '' }
  try {
    await server.productMetrics.countLogin(authenticateUser(server.productStore, settings, login))
    return undefined
  } catch (error) {
    const refused = returnPublicError(error)
    if (refused.statusCode >= 500) throw refused
    log.info({ sub: user.id, ...toLogFields(refused) }, 'password refused')
    if (refused.statusCode !== 429) return 'The current password is wrong.'
    reply.code(429).header('Retry-After', refused.retryAfter)
    return 'Too many wrong passwords. Try again later.'
  }
}
