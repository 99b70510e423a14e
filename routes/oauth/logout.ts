import type { Route } from '../route.ts'
import { Browser } from './authorize/browser.ts'
import { pageHeaders } from './pages/layout.ts'
import { askLogoutPage, loggedOutPage } from './pages/pages.ts'
import { readPageParameters, repeatedParameter } from './parameters.ts'

/** Asks whether to end the session, because a link or an image on another site must not end it. */
export const logoutGet: Route = (_app, settings) => ({
  exposeHeadRoute: false,
  handler: async (_request, reply) => {
    const browser = await Browser.open(reply, settings)
    if (!browser.session) return reply.send(loggedOutPage())
    reply.headers(pageHeaders("'self'"))
    return reply.send(askLogoutPage(browser.session.user.email, browser.csrf()))
  }
})

/** Ends the session. The tokens of the clients stay valid. */
export const logoutPost: Route = (_app, settings) => ({
  handler: async (request, reply) => {
    const browser = await Browser.open(reply, settings)
    const { form, repeated } = readPageParameters(request)
    if (repeated.has('csrf')) throw repeatedParameter()
    const refusal = browser.refuseForm(form, 'logout')
    if (refusal) return refusal
    await browser.logOut()
    return reply.send(loggedOutPage())
  }
})
