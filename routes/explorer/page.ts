import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { parseCookie } from 'cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { findStoredClient } from '../../db/accounts/clients.ts'
import type { ActionText } from '../../domain/audit-actions.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { addVary } from '../../plugins/headers.ts'
import { notFound } from '../../runtime/errors.ts'
import { locate } from '../../runtime/package/package-files.ts'
import { escapeText } from '../oauth/pages/layout.ts'
import { chooseCoding, compress } from '../responses/negotiation.ts'
import { sendShared, sendWithETag } from '../responses/send.ts'
import type { Route } from '../route.ts'
import { createRegistration, explorer } from './oauth-client.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How the explorer says what features record in the audit trail. */
    productAuditActions: Record<string, ActionText>
  }
}

/** The page sets this cookie: see explorer/ui/account.tsx. */
const themeCookie = 'product_theme'

/** The folders of the built explorer: beside the compiled code or, for the sources, in the cache of the build. */
const folders = ['explorer/', 'node_modules/.cache/product-templates/explorer/'].map(path =>
  fileURLToPath(locate(path))
)

/** Finds a file of the latest build. */
const findBuilt = (name: string): string | undefined =>
  folders.map(folder => `${folder}${name}.br`).find(path => existsSync(path))

/** The content codings of a file. */
const codings = ['br', 'gzip'] as const
type Coding = (typeof codings)[number] | undefined

const decompress = promisify(brotliDecompress)

/**
 * Reads a file in a content coding; undefined if there is no such file, or if the explorer has not been built. The
 * build stores only brotli. Browsers accept it from `https` and loopback addresses, and ask for gzip elsewhere.
 */
async function readBuilt(name: string, coding?: Coding): Promise<Buffer | undefined> {
  const path = findBuilt(name)
  const packed = path && (await readFile(path))
  if (!packed || coding === 'br') return packed || undefined
  const plain = await decompress(packed)
  return coding === 'gzip' ? compress(coding, plain) : plain
}

const mediaTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff2: 'font/woff2'
}

/** Maximum number of cached files, which is more than the explorer has in all codings. */
const maxKeptFiles = 1000

/** A file of the explorer. Its name has a hash of its contents, so it never changes. */
export const file: Route = () => {
  // All responses share the cached file. All files in all codings have at most 12 MB.
  const files = new LRUCache<string, Buffer, [name: string, coding: Coding]>({
    max: maxKeptFiles,
    fetchMethod: (_key, _stale, { context }) => readBuilt(...context)
  })
  return {
    handler: async (request, reply) => {
      const { name } = (request as FastifyRequest<{ Params: { name: string } }>).params
      const [, ending = 'html'] = /^[\w.-]+\.(\w+)$/.exec(name) ?? []
      const coding = chooseCoding(request.headers['accept-encoding']?.toString() ?? '', codings)
      const key = `${name} ${coding}`
      const body = ending === 'html' ? undefined : await files.fetch(key, { context: [name, coding] })
      if (!body) throw notFound()
      sendShared(reply, body, {
        'Content-Type': mediaTypes[ending] ?? 'application/octet-stream',
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
        ...(coding && { 'Content-Encoding': coding })
      })
      return reply
    }
  }
}

export const page: Route = (app, settings) => servePage(app, settings, 'index.html', {})

/** SHA-256 of an empty text, for style elements that scripts fill with rules. */
const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"

/** GraphiQL. Its editor writes `style` attributes, which neither a hash nor a nonce can allow. */
export const ide: Route = (app, settings) =>
  servePage(app, settings, 'ide.html', {
    'style-src': `'self' ${emptyStyle}`,
    'style-src-attr': "'unsafe-inline'",
    'font-src': "'self' data:",
    'worker-src': "'self'"
  })

function servePage(
  app: FastifyInstance,
  settings: ServiceSettings,
  name: string,
  policy: Record<string, string>
): ReturnType<Route> {
  const register = createRegistration(app)
  const { ipfsGateway = '', explorerFilters = '', validation } = settings
  // If the service fetches the pictures, the page needs no gateway.
  const isServed = app.productServerAdditions.some(({ servesPictures }) => servesPictures?.(app, settings))
  const gateway = isServed ? '' : ipfsGateway
  const headers = makePageHeaders(gateway, policy)
  const actions = JSON.stringify(app.productAuditActions)
  /** Returns the page of the latest build, with its settings in `meta` elements. */
  const fillPage = async (colorScheme: string): Promise<Buffer | undefined> => {
    const html = (await readBuilt(name))?.toString()
    if (html === undefined) return undefined
    await register()
    // The page asks for all scopes of the client. The login grants those that the user's role allows.
    const scopes = (await findStoredClient(app.productStore, explorer.id))?.scopes ?? []
    return Buffer.from(
      html
        .replace('{{color-scheme}}', () => colorScheme)
        .replace('{{issuer}}', () => escapeText(app.productTokens.issuer()))
        .replace('{{scope}}', () => escapeText(scopes.join(' ')))
        .replace('{{ipfs-gateway}}', () => escapeText(gateway))
        .replace('{{filters}}', () => escapeText(explorerFilters))
        .replace('{{validation}}', () => validation)
        .replace('{{actions}}', () => escapeText(actions))
    )
  }
  if (!findBuilt(name)) app.log.warn('the explorer has not been built: `npm run build`')
  return {
    handler: async (request, reply) => {
      const [path = '', query] = (request.raw.url ?? '').split('?')
      // The redirect is relative, like the links of the page, because a proxy may have removed a part of the path.
      if (name === 'index.html' && !path.endsWith('/'))
        return reply.redirect(`${path.split('/').at(-1)}/${query ? `?${query}` : ''}`, 308)
      const html = await fillPage(findColorScheme(request))
      addVary(reply, 'Cookie')
      if (!html) return reply.code(503).headers(headers).type('text/plain; charset=utf-8').send(notBuilt)
      return sendWithETag(reply, 'text/html; charset=utf-8', html, headers)
    }
  }
}

/** Returns the colour scheme from the cookie, so that the page has the right colours before its scripts run. */
function findColorScheme({ headers }: FastifyRequest): string {
  const theme = parseCookie(headers.cookie ?? '')[themeCookie]
  return theme === 'light' || theme === 'dark' ? theme : 'light dark'
}

const notBuilt = 'The explorer has not been built. Run `npm run build`.\n'

/** Makes the headers of the pages. Only pictures may come from elsewhere, from the IPFS gateway. */
function makePageHeaders(ipfsGateway: string, more: Record<string, string>) {
  const pictures = ipfsGateway === '' ? [] : [new URL(ipfsGateway).origin]
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': ["'self'", 'data:', 'blob:', ...pictures].join(' '),
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    ...more
  }
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'Cache-Control': 'no-cache',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin'
  }
}
