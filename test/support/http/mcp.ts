/** MCP clients as people use them: the official SDK, with a login in a browser. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Test } from 'tap'
import { makeCertificate } from '../../cli/serve/certificate.ts'
import { TestBrowser, type Visit } from '../browser/browser.ts'
import { user } from '../service/service.ts'

/** The networks of the servers below. */
export const privateNetworks = '127.0.0.0/8 ::1/128'

/** Starts a site with a certificate that this process trusts. Returns its origin. */
export async function startSite(t: Test, respond: RequestListener): Promise<string> {
  // A unique name, because certificates are looked up by name.
  const { cert, key } = await makeCertificate(randomUUID())
  setDefaultCACertificates([...getCACertificates('default'), cert])
  const server = createServer({ cert, key }, respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

/** Starts a site with the metadata document of a client. Undefined omits a member. Returns the client's id. */
export async function describeClient(t: Test, more: object = {}, headers: Record<string, string> = {}) {
  const seen: string[] = []
  const site = await startSite(t, (request, response) => {
    seen.push(request.url ?? '')
    const document = {
      client_id: `${site}/client.json`,
      client_name: 'Assistant',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      ...more
    }
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document))
  })
  return { id: `${site}/client.json`, host: new URL(site).host, seen }
}

/** Logs in and consents on the pages of the service. Returns the redirect. */
export async function logIn(url: string, address: URL, password = user.password) {
  const browser = new TestBrowser(url)
  const login = await browser.visit(address.href.slice(url.length))
  const consent = await browser.submit(login, { decision: 'login', username: user.email, password })
  const done: Visit = consent.location ? consent : await browser.submit(consent, { decision: 'allow' })
  return { login, consent, done }
}

/** Returns the login state of an application. `asked` has the authorization URLs to which it sent its user. */
export function provider(clientId: string, redirectUrl = 'http://localhost:4567/callback') {
  const kept: Record<string, unknown> = {}
  const keep = (name: string) => (given: unknown) => {
    kept[name] = given
  }
  const asked: URL[] = []
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadataUrl: clientId,
    clientMetadata: { redirect_uris: [redirectUrl] },
    clientInformation: () => kept.client as never,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens as never,
    saveTokens: keep('tokens'),
    redirectToAuthorization: address => void asked.push(address),
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier as string
  }
  return { authProvider, asked, kept }
}

/** Connects the SDK's client with an access token. `fetchWith` replaces its fetch. */
export async function connect(t: Test, url: string, token: string, fetchWith?: typeof fetch) {
  const mcp = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    ...(fetchWith && { fetch: fetchWith as never })
  })
  await mcp.connect(transport as never)
  t.teardown(() => mcp.close())
  return mcp
}

export async function call(mcp: Client, name: string, given: Record<string, unknown> = {}) {
  const result = (await mcp.callTool({ name, arguments: given })) as CallToolResult
  const texts = result.content.map(part => (part.type === 'text' ? part.text : ''))
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about to check
  return { isError: result.isError === true, texts, data: result.structuredContent as any }
}

/** Sends a message without the SDK. */
export const post = (
  url: string,
  token: string | undefined,
  message: unknown,
  headers: Record<string, string> = {}
) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers
    },
    body: typeof message === 'string' ? message : JSON.stringify(message)
  })

export const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
