import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { badRequest, foreignOrigin } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import { getToken, requireToken } from '../../plugins/bearer-auth.ts'
import { readOrigins } from '../../plugins/headers.ts'
import type { McpLibrary } from '../../plugins/optional-features.ts'
import { checkIdempotencyKey, enterExchange, openExchange, parseJson, textOf } from '../graphql/request.ts'
import { type OwnResponse, runRequest } from '../graphql/run.ts'
import { acceptedMessageType } from '../responses/negotiation.ts'
import { sendBody } from '../responses/send.ts'
import type { Route } from '../route.ts'
import { type Answer, createServers } from './server.ts'

/** Maximum bytes of a result. A model cannot read more, and the response has the result twice, as text and as JSON. */
const maxResultBytes = 2 ** 20

/**
 * The Model Context Protocol over streamable HTTP without sessions: one message, one response. Each tool is a
 * GraphQL operation, which runs like a request to `/graphql`.
 */
export const mcpPost: Route = (app, given) => {
  const library = app.productMcp as McpLibrary
  const createServer = createServers(library, app.graphql.schema)
  const settings = { ...given, graphqlMaxResultSize: Math.min(given.graphqlMaxResultSize, maxResultBytes) }
  const bearer = requireToken(app, ['read', 'write'], { isCheckedAgain: true })
  return {
    onRequest: [checkOrigin(given), bearer, openExchange(settings, acceptedMessageType), checkIdempotencyKey],
    bodyLimit: given.graphqlMaxBodySize,
    // Not async: Fastify would wait for a reply that is sent later.
    handler: (request, reply) => {
      respond(request, reply, { library, createServer }).catch(error => reply.send(error))
    }
  }
}

interface McpEndpoint {
  library: McpLibrary
  createServer: ReturnType<typeof createServers>
}

async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  { library, createServer }: McpEndpoint
): Promise<void> {
  const exchange = await enterExchange(request, reply)
  const message = await parseJson(request, textOf(request))
  // Each message would be an operation, but the limits expect one operation per request.
  if (Array.isArray(message)) throw badRequest('send one message at a time, not a list')
  let own: OwnResponse | undefined
  let failure: unknown
  const run = async (query: string, variables: Record<string, unknown>): Promise<Answer> => {
    try {
      own = await runRequest(exchange, { query, variables })
    } catch (error) {
      failure ??= error
      throw error
    }
    return JSON.parse(Buffer.concat(own.body).toString())
  }
  const { scopes } = getToken(request)
  const server = createServer({ scopes, run })
  const transport = new library.Transport({ enableJsonResponse: exchange.type !== 'text/event-stream' })
  await server.connect(transport as never)
  const { status, type, body } = await askSdk(transport, request, message)
  await server.close()
  // After a limit, an outage or a missing scope, the response has the same status as at `/graphql`.
  if (failure) throw failure
  reply.code(status)
  if (type) reply.type(type)
  if (own) sendBody(reply, [body], own.pending)
  else reply.send(body)
}

/** Passes a message to the SDK, and returns its answer. */
async function askSdk(
  transport: InstanceType<McpLibrary['Transport']>,
  { headers, server }: FastifyRequest,
  message: unknown
) {
  const names = ['content-type', 'mcp-protocol-version']
  const given = names.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
  // The SDK insists on both types. `openExchange` has read the client's own header.
  given.push(['accept', 'application/json, text/event-stream'])
  const url = `${server.productTokens.issuer()}/mcp`
  const asked = new Request(url, { method: 'POST', headers: given as [string, string][] })
  const response = await transport.handleRequest(asked, { parsedBody: message })
  const { status } = response
  const body = Buffer.from(await response.arrayBuffer())
  return { status, type: response.headers.get('content-type'), body }
}

/**
 * MCP requires this check. Otherwise, pages of other sites could use a service that the browser can reach, such as
 * one on this machine.
 */
function checkOrigin(settings: ServiceSettings): onRequestHookHandler {
  const origins = readOrigins(settings)
  return ({ server, headers: { origin } }, _reply, done) => {
    const isOwn = origin === undefined || origin === new URL(server.productTokens.issuer()).origin
    done(isOwn || origins.has(origin) || origins.has('*') ? undefined : foreignOrigin())
  }
}
