import fp from 'fastify-plugin'
import { ClientDocuments } from '../accounts/client-document.ts'
import { importOptional } from '../optional-package.ts'
import type { ServiceSettings } from '../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Undefined unless MCP is on. */
    productMcp: McpLibrary | undefined
    /** Of clients that are nothing but a URL: those of MCP. Undefined unless it is on. */
    productClientDocuments: ClientDocuments | undefined
  }
}

/** What MCP needs beside its endpoint. Throws StartError if the SDK is not installed. */
export const mcp = fp<ServiceSettings>(
  async (app, settings) => {
    const closing = new AbortController()
    app.addHook('preClose', async () => closing.abort())
    app.decorate('productMcp', settings.mcp ? await loadLibrary() : undefined)
    const documents = settings.mcp ? new ClientDocuments(settings, closing.signal) : undefined
    app.decorate('productClientDocuments', documents)
  },
  { name: 'product-mcp', fastify: '5.x' }
)

/** What the service uses of the official SDK. */
export type McpLibrary = Awaited<ReturnType<typeof loadLibrary>>

/** Imports the SDK, which only a service with MCP needs. Throws StartError if it is missing. */
async function loadLibrary() {
  const load = () =>
    Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js')
    ])
  const [{ Server }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await importOptional({
    setting: 'MCP',
    name: '@modelcontextprotocol/sdk',
    load
  })
  return { Server, Transport, types }
}
