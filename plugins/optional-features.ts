import fp from 'fastify-plugin'
import { ClientDocuments } from '../accounts/client-document.ts'
import { openLoginProviders, type ProviderClient } from '../credentials/login-provider.ts'
import { openPasskeys, type Passkeys } from '../credentials/passkeys.ts'
import { importOptional, missingPackage } from '../optional-package.ts'
import type { ServiceSettings } from '../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenID providers of the login page. */
    productLoginProviders: ProviderClient[]
    /** Makes and checks passkeys; undefined if PASSKEYS is off. */
    productPasskeys: Passkeys | undefined
    /** Undefined unless MCP is on. */
    productMcp: McpLibrary | undefined
    /** Of clients that are nothing but a URL: those of MCP. Undefined unless it is on. */
    productClientDocuments: ClientDocuments | undefined
  }
}

/**
 * What settings switch on with a package that only they need: OpenID providers, passkeys and MCP. Throws StartError for
 * wrong settings, or if a package is not installed.
 */
export const optionalFeatures = fp<ServiceSettings>(
  async (app, settings) => {
    app.decorate('productLoginProviders', await openLoginProviders(settings.loginProviders))
    app.decorate('productPasskeys', settings.passkeys ? await openPasskeys(settings.issuer) : undefined)
    app.decorate('productMcp', settings.mcp ? await importMcp() : undefined)
    const closing = new AbortController()
    app.addHook('preClose', async () => closing.abort())
    const documents = settings.mcp ? new ClientDocuments(settings, closing.signal) : undefined
    app.decorate('productClientDocuments', documents)
  },
  { name: 'product-optional-features', fastify: '5.x' }
)

/** What the service uses of the official SDK. */
export type McpLibrary = Awaited<ReturnType<typeof importMcp>>

async function importMcp() {
  const load = () =>
    Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js')
    ])
  const missing = missingPackage('MCP', '@modelcontextprotocol/sdk')
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await importOptional(
    load,
    missing
  )
  return { Server, Transport, types }
}
