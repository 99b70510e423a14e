import { hash } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply } from 'fastify'
import { generateSecret, hashSecret, matchesSecret } from '../../../accounts/credentials/secrets.ts'
import {
  deleteSession,
  findSession,
  insertSession,
  type Session,
  type SessionLifetime
} from '../../../db/accounts/logins/sessions.ts'
import { findUnchangedUser, type StoredUser } from '../../../db/accounts/users.ts'
import { makeUserActor, recordEvent } from '../../../db/audit/record.ts'
import { transact } from '../../../db/transaction.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { reportError } from '../../../plugins/error-handler.ts'
import { foreignForm, invalidGrant } from '../../../runtime/errors.ts'
import { oldFormPage } from '../pages/pages.ts'
import type { Form } from '../parameters.ts'
import { describeBrowser } from './user-agent.ts'

/** A value that {@link generateSecret} makes. */
const cookiePattern = /^[A-Za-z0-9_-]{43}$/

/** The browser that sends a request. Forms are bound to its random cookie, which each login replaces. */
export class Browser {
  readonly #reply: FastifyReply
  #cookie: string
  session: Session | undefined

  private constructor(reply: FastifyReply) {
    this.#reply = reply
    const given = parseCookie(reply.request.headers.cookie ?? '')[this.#place.name] ?? ''
    this.#cookie = cookiePattern.test(given) ? given : ''
  }

  /** Reads the cookie and the session of the browser. */
  static async open(reply: FastifyReply, settings: SessionLifetime): Promise<Browser> {
    const browser = new Browser(reply)
    const { productStore } = reply.server
    if (browser.isKnown) browser.session = await findSession(productStore, browser.#hash(), settings)
    return browser
  }

  /** Whether the browser has sent a cookie of the service. */
  get isKnown(): boolean {
    return this.#cookie !== ''
  }

  /** Returns the value that a form of this browser must send, so that no other site can send the form. */
  csrf(): string {
    if (!this.isKnown) this.#replaceCookie()
    return computeCsrf(this.#cookie)
  }

  /** Throws 403 if a form comes from another site, from another browser, or from before a login. */
  checkForm(form: Form): void {
    this.#checkOrigin()
    if (!this.#hasMade(form)) throw oldForm()
  }

  /**
   * Throws 403 if a form comes from another site. If it comes from another browser, or from before a login in another
   * tab, sends a page that leads on to `path`, and returns the reply.
   */
  refuseForm(form: Form, path: string): FastifyReply | undefined {
    this.#checkOrigin()
    if (this.#hasMade(form)) return undefined
    const [{ statusCode }] = reportError(this.#reply.request, oldForm())
    return this.#reply.code(statusCode).send(oldFormPage(path))
  }

  /**
   * Returns the value that the page that asks for consent to a request must send, so that no other page can consent.
   */
  consentProof(parameters: Form): string {
    const sorted = JSON.stringify(Object.entries(parameters).sort())
    return hash('sha256', `consent ${this.#cookie} ${sorted}`, 'base64url')
  }

  #checkOrigin(): void {
    const { 'sec-fetch-site': site, origin } = this.#reply.request.headers
    if (site !== undefined && site !== 'same-origin') throw foreignForm(`Sec-Fetch-Site: ${site}`)
    // A page without a referrer has the origin `null`.
    if (origin !== undefined && origin !== 'null' && !this.#isOwn(origin)) throw foreignForm('another origin')
  }

  #hasMade({ csrf = '' }: Form): boolean {
    return this.isKnown && matchesSecret(csrf, hashSecret(computeCsrf(this.#cookie)))
  }

  /**
   * Begins a session with a new cookie, because an attacker may know the old cookie (OWASP "session fixation").
   * Throws `invalid_grant` if the user was removed or changed since the password was checked. With `details`,
   * records a login in the audit trail and the log. Without them, the session replaces one of the same login.
   */
  async logIn(user: StoredUser, details?: object): Promise<void> {
    await this.#endSession()
    this.#replaceCookie()
    const { server, request } = this.#reply
    const name = describeBrowser(request.headers['user-agent'])
    await transact(server.productStore, async transaction => {
      if (!(await findUnchangedUser(transaction, user)))
        throw invalidGrant(`user ${user.id} has changed during the login`)
      await insertSession(transaction, this.#hash(), user, name)
      if (details) await recordEvent(transaction, makeUserActor(user, request), 'user.log_in', user, details)
    })
    this.session = { hash: this.#hash(), user, timeCreated: timestamp() }
    if (details) request.log.info({ ...details, sub: user.id, remoteAddress: request.ip }, 'user logged in')
  }

  async logOut(): Promise<void> {
    const line = { sub: this.session?.user.id, remoteAddress: this.#reply.request.ip }
    await this.#endSession()
    this.#replaceCookie()
    this.#reply.request.log.info(line, 'user logged out')
  }

  /** Ends also a session that is not used because a clock was wrong: it could be valid again later. */
  async #endSession(): Promise<void> {
    if (this.isKnown) await deleteSession(this.#reply.server.productStore, this.#hash())
    this.session = undefined
  }

  /** The hash is bound to the issuer, so that several copies of the service on one database have separate sessions. */
  #hash(): string {
    return hashSecret(`${this.#reply.server.productTokens.issuer()} ${this.#cookie}`)
  }

  #isOwn(origin: string): boolean {
    const { host } = this.#reply.request
    const { origin: ofIssuer } = new URL(this.#reply.server.productTokens.issuer())
    return [`https://${host}`, `http://${host}`, ofIssuer].includes(origin)
  }

  #replaceCookie(): void {
    this.#cookie = generateSecret()
    const cookie = { ...this.#place, value: this.#cookie, httpOnly: true, sameSite: 'lax' } as const
    this.#reply.header('Set-Cookie', stringifySetCookie(cookie))
  }

  /** If there is TLS, the name prevents other hosts of the domain from setting the cookie, RFC 6265bis §4.1.3. */
  get #place(): { name: string; path: string; secure: boolean } {
    const issuer = new URL(this.#reply.server.productTokens.issuer())
    const prefix = issuer.pathname.replace(/\/$/, '')
    const secure = issuer.protocol === 'https:' || this.#reply.request.protocol === 'https'
    if (secure && prefix === '') return { name: '__Host-product-session', path: '/', secure }
    // A semicolon ends a path, RFC 6265 §4.1.1, so the cookie gets the path of the folder above.
    const path = `${prefix}/oauth`.replace(/\/[^/]*;.*$/, '') || '/'
    return { name: `${secure ? '__Secure-' : ''}product-session`, path, secure }
  }
}

/** Maximum age in seconds of a recent login, which a requested consent and a new way to log in need. */
export const recentLoginSeconds = 600

const oldForm = () => foreignForm('wrong CSRF token')

const computeCsrf = (cookie: string): string => hash('sha256', `form ${cookie}`, 'base64url')
