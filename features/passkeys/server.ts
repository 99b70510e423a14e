import fp from 'fastify-plugin'
import type { Session } from '../../db/accounts/logins/sessions.ts'
import type { StoredUser } from '../../db/accounts/users.ts'
import { makeUserActor } from '../../db/audit/record.ts'
import { secondsSince } from '../../domain/timestamp.ts'
import type { ServiceSettings } from '../../options/index.ts'
import {
  type AccountSection,
  type AccountVisit,
  findPasswordProblem
} from '../../routes/oauth/account/show.ts'
import { Browser, recentLoginSeconds } from '../../routes/oauth/authorize/browser.ts'
import type { LoginMethod } from '../../routes/oauth/authorize/login.ts'
import { describeBrowser } from '../../routes/oauth/authorize/user-agent.ts'
import type { Notice } from '../../routes/oauth/pages/account.ts'
import { readPageParameters } from '../../routes/oauth/parameters.ts'
import { pageProtocol } from '../../routes/oauth/protocol.ts'
import type { Route } from '../../routes/route.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { PublicError, returnPublicError } from '../../runtime/errors.ts'
import { openPasskeys, type Passkeys } from './ceremonies.ts'
import { passkeyLogin, passkeyScript, passkeySection } from './pages.ts'
import * as operations from './passkeys.ts'
import { listPasskeys } from './rows.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The passkeys of the service. */
    productPasskeys: Passkeys
  }
}

const passkeys = fp<ServiceSettings>(
  async (app, { issuer }) => void app.decorate('productPasskeys', await openPasskeys(issuer)),
  { name: 'product-passkeys', fastify: '5.x' }
)

/** Answers the script of the pages with options for a passkey, which have a new challenge, or with a problem. */
const passkeyChallenge: Route = ({ productStore, productPasskeys }, settings) => ({
  handler: async (request, reply) => {
    const browser = await Browser.open(reply, settings)
    const { form } = readPageParameters(request)
    browser.checkForm(form)
    reply.type('application/json; charset=utf-8')
    const { session } = browser
    const challenge = async (user?: StoredUser) => {
      const purpose = { browser: browser.csrf(), ...(user && { user }) }
      return { options: await operations.challengeBrowser(productStore, productPasskeys, purpose) }
    }
    if (form.decision !== 'add-passkey') return challenge()
    if (!session) return { problem: 'You are not logged in any more.' }
    const { user } = session
    const visit = { reply, settings, browser, form, user, actor: makeUserActor(user, request) }
    const problem = await findProblem(visit, session)
    return problem === undefined ? challenge(user) : { problem }
  }
})

/** Whether the login is recent, so that the password is not needed again. */
const isRecent = ({ timeCreated }: Session): boolean => secondsSince(timeCreated) <= recentLoginSeconds

/** Adding a passkey needs a recent login or the password, because a forgotten browser may be logged in. */
async function findProblem(visit: AccountVisit, session: Session): Promise<string | undefined> {
  if (isRecent(session)) return undefined
  if (!visit.settings.passwordLogin) return 'Log out and log in again: your login is too old for this.'
  // The login became too old after the page was loaded, so the page has no field for the password.
  if (!visit.form.current) return 'Reload the page, and type your current password.'
  return findPasswordProblem(visit)
}

/** Adds a passkey. The challenge proves that the password or the age of the login was checked. */
async function addPasskey(visit: AccountVisit): Promise<Notice> {
  const { reply, browser, form, user, actor } = visit
  const { log, ip: remoteAddress } = reply.request
  const { productStore, productPasskeys } = reply.server
  const { credential: text = '', name = '' } = form
  const audit = { sub: user.id, remoteAddress }
  const answer = { text, name, browser: browser.csrf(), user }
  const passkey = await operations
    .addPasskey(productStore, productPasskeys, answer, actor)
    .catch(returnPublicError)
  if (passkey instanceof PublicError) {
    log.info({ ...audit, reason: passkey.detail }, 'passkey not added')
    return { text: 'The passkey was not accepted.', isProblem: true }
  }
  log.info({ ...audit, passkey }, 'passkey added')
  return { text: 'Your passkey is added. You can log in with it.' }
}

async function deletePasskey(visit: AccountVisit): Promise<Notice> {
  const { reply, form, user, actor } = visit
  const { passkey = '' } = form
  const { log, ip: remoteAddress } = reply.request
  if (await operations.deletePasskey(reply.server.productStore, user, passkey, actor))
    log.info({ sub: user.id, passkey, remoteAddress }, 'passkey deleted')
  return { text: 'The passkey is deleted. Delete it on your device, too.' }
}

/** The passkeys of the user on the page of the account. */
const accountSection: AccountSection = {
  async show({ reply, settings, browser }, session) {
    return passkeySection({
      passkeys: await listPasskeys(reply.server.productStore, session.user.id),
      newName: describeBrowser(reply.request.headers['user-agent']),
      asksPassword: settings.passwordLogin && !isRecent(session),
      csrf: browser.csrf()
    })
  },
  actions: new Map([
    ['add-passkey', addPasskey],
    ['delete-passkey', deletePasskey]
  ])
}

const loginMethod: LoginMethod = {
  decision: 'passkey',
  part: passkeyLogin,
  script: passkeyScript,
  refusal: 'The passkey was not accepted.',
  accountSection,
  async authenticate({ settings, form, browser, reply }) {
    const { productMetrics, productPasskeys, productStore } = reply.server
    const answer = { text: form.credential ?? '', browser: browser.csrf() }
    return productMetrics.countLogin(
      operations.logInWithPasskey(productStore, productPasskeys, answer, settings)
    )
  }
}

export const server: ServerAddition = {
  plugin: passkeys,
  endpoints: {
    '/oauth/passkey': {
      kind: { auth: 'login page', plugin: pageProtocol },
      POST: { route: passkeyChallenge, summary: 'a challenge for a passkey: to log in, or to add one' }
    },
    '/oauth/passkeys.js': {
      kind: { auth: 'none' },
      GET: { route: passkeyScript.route, summary: 'the script for passkeys' }
    }
  },
  loginMethods: () => [loginMethod]
}
