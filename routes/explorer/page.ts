import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { ServiceSettings } from '../../options.ts'
import { isKnown } from '../etag.ts'
import { escapeText } from '../oauth/pages/html.ts'
import { sendInPieces } from '../responses/send.ts'
import type { Route } from '../route.ts'
import { BuiltFiles } from './built-files.ts'
import { registrationOf } from './oauth-client.ts'
import { pageHeaders } from './page-headers.ts'

/** The page of the explorer, and what it needs to know before it can ask the service. */
export const page: Route = (app, settings) => servePage(app, settings, 'index.html', {})

/** SHA-256 of no text: style elements that scripts fill by rules, not by a text. */
const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"

/** GraphiQL. Its editor writes `style` attributes, which no hash or nonce covers; all else is as restricted as on the first page. */
export const ide: Route = (app, settings) =>
  servePage(app, settings, 'ide.html', {
    'style-src': `'self' ${emptyStyle}`,
    'style-src-attr': "'unsafe-inline'",
    'font-src': "'self' data:",
    'worker-src': "'self'"
  })

function servePage(
  app: FastifyInstance,
  { ipfsGateway }: ServiceSettings,
  name: string,
  policy: Record<string, string>
): ReturnType<Route> {
  const register = registrationOf(app)
  const headers = pageHeaders(ipfsGateway, policy)
  const files = new BuiltFiles()
  if (!files.isBuilt) app.log.warn('the explorer has not been built: `npm run build`')
  let body: Promise<Buffer> | undefined
  return {
    handler: async (request, reply) => {
      const [path = '', query] = (request.raw.url ?? '').split('?')
      // The links of the page are relative, and so is this one: a proxy may have cut off a part of the path.
      if (name === 'index.html' && !path.endsWith('/'))
        return reply.redirect(`${path.split('/').at(-1)}/${query ? `?${query}` : ''}`, 308)
      if (!files.isBuilt)
        return reply.code(503).headers(headers).type('text/plain; charset=utf-8').send(notBuilt)
      await register()
      body ??= readPage(files, name, { issuer: app.productTokens.issuer(), ipfsGateway })
      const html = await body
      app.productPendingResponses.checkShared(html)
      const etag = `"${createHash('sha256').update(html).digest('base64url')}"`
      reply.headers({ ...headers, ETag: etag })
      if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
      return sendInPieces(reply.type('text/html; charset=utf-8'), html, app.productPendingResponses)
    }
  }
}

const notBuilt = 'The explorer has not been built. Run `npm run build`, then start the service again.\n'

/** Reads a page and writes into it what it needs to know, as the contents of `meta` elements. */
async function readPage(
  files: BuiltFiles,
  name: string,
  { issuer, ipfsGateway = '' }: { issuer: string; ipfsGateway: string | undefined }
): Promise<Buffer> {
  const html = (await files.read(name, 'identity')).toString()
  const filled = html
    .replace('{{issuer}}', () => escapeText(issuer))
    .replace('{{ipfs-gateway}}', () => escapeText(ipfsGateway))
  return Buffer.from(filled)
}
