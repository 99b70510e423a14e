import type { Route } from '../route.ts'
import { readParameters } from './authorize/request.ts'
import { Browser } from './login/browser.ts'
import { pageHeaders } from './pages/layout.ts'
import { askLogoutPage, loggedOutPage } from './pages/pages.ts'

/** Asks whether to end the session: a link or a picture of another site must not end it. */
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
    browser.checkForm(readParameters(request))
    await browser.logOut()
    return reply.send(loggedOutPage())
  }
})
