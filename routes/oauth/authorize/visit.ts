import type { FastifyReply } from 'fastify'
import type { ServiceSettings } from '../../../options.ts'
import { pageHeaders } from '../pages/layout.ts'
import type { PageScript } from '../pages/script.ts'
import type { Form } from '../protocol.ts'
import type { Browser } from './browser.ts'
import { type AuthorizationRequest, requestParameters, type Target, targetsOfForms } from './request.ts'

/** A browser's request, and the data that is needed to answer it. */
export interface Visit extends Target, AuthorizationRequest {
  settings: ServiceSettings
  reply: FastifyReply
  form: Form
  browser: Browser
}

/** The page may send its forms to the service, which redirects the browser to the client or to a provider. */
export function sendPage(
  { reply, redirectUri }: Visit,
  text: string,
  scripts: PageScript[] = []
): FastifyReply {
  const issuers = reply.server.productLoginProviders.map(({ provider }) => provider.issuer)
  return reply.headers(pageHeaders(targetsOfForms(redirectUri, ...issuers), scripts)).send(text)
}

/** Contains the scopes of this page, because the client's default scopes may change before the form is sent. */
export const hiddenOf = ({ browser, form, scopes }: Visit): Form => ({
  csrf: browser.csrf(),
  ...pickRequest({ ...form, scope: scopes.join(' ') })
})

/** The parameters of a form that belong to the client's request. */
export const pickRequest = (form: Form): Form =>
  Object.fromEntries(Object.entries(form).filter(([name]) => requestParameters.includes(name)))
