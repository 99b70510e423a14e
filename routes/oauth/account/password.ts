import { findWeakness } from '../../../accounts/credentials/password-strength.ts'
import { findLinkedUser, usePasswordLink } from '../../../accounts/passwords.ts'
import { hasExplorer, type Route } from '../../route.ts'
import { invalidLinkPage, passwordPage, passwordSetPage } from '../pages/account.ts'
import { pageHeaders } from '../pages/layout.ts'
import { readPageParameters } from '../parameters.ts'

/** The page of the links that `user add --link` and `user passwd --link` print. */
export const passwordGet: Route = (app, { passwordLogin }) => ({
  exposeHeadRoute: false,
  handler: async (request, reply) => {
    const { token = '' } = readPageParameters(request).form
    const user = await findLinkedUser(app.productStore, token)
    if (!user || !passwordLogin) return reply.code(404).send(invalidLinkPage())
    return reply.headers(pageHeaders("'self'")).send(passwordPage(token, user.email))
  }
})

export const passwordPost: Route = (app, settings) => ({
  handler: async (request, reply) => {
    const { token = '', password = '' } = readPageParameters(request).form
    const found = await findLinkedUser(app.productStore, token)
    if (!found || !settings.passwordLogin) return reply.code(404).send(invalidLinkPage())
    const weakness = await findWeakness(password, found)
    if (weakness !== undefined)
      return reply.headers(pageHeaders("'self'")).send(passwordPage(token, found.email, weakness))
    const user = await usePasswordLink(app.productStore, token, password, { cost: settings, request })
    if (!user) return reply.code(404).send(invalidLinkPage())
    request.log.info({ sub: user.id, remoteAddress: request.ip }, 'password set by a link')
    return reply.send(passwordSetPage(user.email, hasExplorer(reply)))
  }
})
