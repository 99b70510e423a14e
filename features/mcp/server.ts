import fp from 'fastify-plugin'
import type { ServiceSettings } from '../../options/index.ts'
import { beforeClose } from '../../plugins/before-close.ts'
import { graphqlProtocol } from '../../routes/graphql/index.ts'
import { findNetwork } from '../../routes/oauth/request-limits.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { protectedResource } from '../../routes/well-known.ts'
import { unavailable } from '../../runtime/errors.ts'
import { importOptional, missingPackage } from '../../runtime/package/optional-package.ts'
import { ClientDocuments } from './client-document.ts'
import { checkOrigin, mcpPost } from './routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The official SDK of MCP. */
    productMcp: McpLibrary
    productClientDocuments: ClientDocuments
  }
}

const mcp = fp<ServiceSettings>(
  async (app, settings) => {
    app.decorate('productMcp', await importMcp())
    const closing = new AbortController()
    beforeClose(app, () => closing.abort(unavailable('the service is shutting down')))
    app.decorate('productClientDocuments', new ClientDocuments(settings, closing.signal))
  },
  { name: 'product-mcp', fastify: '5.x' }
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

export const server: ServerAddition = {
  plugin: mcp,
  endpoints: {
    '/.well-known/oauth-protected-resource/mcp': {
      kind: { auth: 'none', crossOrigin: 'listed' },
      GET: { route: protectedResource('/mcp'), summary: 'which tokens `/mcp` takes, and whose (RFC 9728)' }
    },
    '/mcp': {
      kind: {
        auth: 'Bearer',
        beforeAuth: checkOrigin,
        checksTokenAgain: true,
        plugin: graphqlProtocol,
        crossOrigin: 'listed',
        acceptsTokensFor: '/mcp'
      },
      POST: {
        route: mcpPost,
        scopes: ['read', 'write'],
        summary: 'the Model Context Protocol, for tools of language models; with the option `mcp`'
      }
    }
  },
  findDescribedClient: ({ server: { productClientDocuments: documents }, ip }, id, stored) =>
    documents.describe(id, stored, findNetwork(ip))
}
