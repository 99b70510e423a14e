import { createHash } from 'node:crypto'
import { isKnown } from '../etag.ts'
import { escapeText } from '../oauth/pages/html.ts'
import type { Route } from '../route.ts'
import { BuiltFiles } from './built-files.ts'
import { registrationOf } from './oauth-client.ts'
import { pageHeaders } from './page-headers.ts'

/** The page of the explorer, and what it needs to know before it can ask the service. */
export const page: Route = (app, { ipfsGateway }) => {
  const register = registrationOf(app)
  const headers = pageHeaders(ipfsGateway)
  const files = new BuiltFiles()
  if (!files.isBuilt) app.log.warn('the explorer has not been built: `npm run build`')
  let text: Promise<string> | undefined
  return {
    handler: async (request, reply) => {
      const [path = '', query] = (request.raw.url ?? '').split('?')
      // The links of the page are relative, and so is this one: a proxy may have cut off a part of the path.
      if (!path.endsWith('/'))
        return reply.redirect(`${path.split('/').at(-1)}/${query ? `?${query}` : ''}`, 308)
      if (!files.isBuilt)
        return reply.code(503).headers(headers).type('text/plain; charset=utf-8').send(notBuilt)
      await register()
      text ??= readPage(files, 'index.html', { issuer: app.productTokens.issuer(), ipfsGateway })
      const html = await text
      const etag = `"${createHash('sha256').update(html).digest('base64url')}"`
      reply.headers({ ...headers, ETag: etag })
      if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
      return reply.type('text/html; charset=utf-8').send(html)
    }
  }
}

const notBuilt = 'The explorer has not been built. Run `npm run build`, then start the service again.\n'

/** Reads a page and writes into it what it needs to know, as the contents of `meta` elements. */
async function readPage(
  files: BuiltFiles,
  name: string,
  { issuer, ipfsGateway = '' }: { issuer: string; ipfsGateway: string | undefined }
): Promise<string> {
  const html = (await files.read(name, 'identity')).toString()
  return html
    .replace('{{issuer}}', () => escapeText(issuer))
    .replace('{{ipfs-gateway}}', () => escapeText(ipfsGateway))
}
