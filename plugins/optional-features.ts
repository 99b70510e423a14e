import fp from 'fastify-plugin'
import { ClientDocuments } from '../features/mcp/client-document.ts'
import { openPasskeys, type Passkeys } from '../features/passkeys/ceremonies.ts'
import { openLoginProviders, type ProviderClient } from '../features/providers/provider.ts'
import type { ServiceSettings } from '../options/index.ts'
import { importOptional, missingPackage } from '../runtime/optional-package.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenID providers of the login page. */
    productLoginProviders: ProviderClient[]
    /** The passkeys of the service; undefined if PASSKEYS is off. */
    productPasskeys: Passkeys | undefined
    /** The official SDK of MCP; undefined if MCP is off. */
    productMcp: McpLibrary | undefined
    /** The metadata documents of MCP clients; undefined if MCP is off. */
    productClientDocuments: ClientDocuments | undefined
  }
}

/**
 * Opens the features that need optional packages: OpenID providers, passkeys and MCP. Throws StartError for wrong
 * settings, or if a package is not installed.
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

/** The parts of the official SDK that the service uses. */
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
