// Runs on SQLite only, in test:all only: flow.test.ts uses some tools on both engines.
/** Which tokens `/mcp` and `/graphql` take: RFC 6750, RFC 9068, RFC 9728, and the authorization of MCP 2025-11-25. */
import { decodeJwt } from 'jose'
import { t } from 'tap'
import { clients } from '../../../store.ts'
import { accessToken, basic, graphqlRequest, visible } from '../../../test/support/http/http.ts'
import { listTools, post } from '../../../test/support/http/mcp.ts'
import { forger, forgeTokens } from '../../../test/support/identity/forged-tokens.ts'
import { startIssuer } from '../../../test/support/identity/issuer.ts'
import { addClient, client, service } from '../../../test/support/service/service.ts'

const challenge = (url: string, more = '') =>
  `Bearer realm="product-templates"${more}, resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`

t.test('K01: every forged token is 401 with one identical answer, which names the metadata', async t => {
  const running = await service(t, { mcp: true })
  const { url } = running
  const resource = `${url}/mcp`
  const { good } = await forger(running, { resource })
  t.equal((await post(url, good, listTools)).status, 200, 'what they are made from is right')
  const answers = new Set<string>()
  for (const [name, token] of Object.entries(await forgeTokens(running, { resource }))) {
    const answer = await visible(await post(url, token, listTools))
    t.equal(answer.status, 401, name)
    t.equal(answer.headers['www-authenticate'], challenge(url, ', error="invalid_token"'), name)
    answers.add(JSON.stringify(answer))
  }
  t.equal(answers.size, 1)
})

t.test('without a token the challenge names the metadata, which leads to the login', async t => {
  const { url } = await service(t, { mcp: true })
  const response = await post(url, undefined, listTools)
  t.same([response.status, response.headers.get('www-authenticate')], [401, challenge(url)])
  const [, address = ''] = /resource_metadata="([^"]*)"/.exec(challenge(url)) ?? []
  t.same(await (await fetch(address)).json(), {
    resource: `${url}/mcp`,
    authorization_servers: [url],
    scopes_supported: ['read', 'write'],
    bearer_methods_supported: ['header'],
    resource_name: 'product templates'
  })
  const root = await (await fetch(`${url}/.well-known/oauth-protected-resource`)).json()
  t.match(root, { resource: url, authorization_servers: [url] })
  const server = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()
  t.match(server, { client_id_metadata_document_supported: true })
})

t.test('K02: a token is for the endpoints that its resource names, and for no other', async t => {
  const { url } = await service(t, { mcp: true })
  const opens = async (resource: string | undefined) => {
    const token = await accessToken(url, { resource })
    const graphql = await graphqlRequest(url, token, { query: '{ __typename }' })
    const changes = await fetch(`${url}/changes`, { headers: { authorization: `Bearer ${token}` } })
    await changes.body?.cancel()
    return [decodeJwt(token).aud, (await post(url, token, listTools)).status, graphql.status, changes.status]
  }
  const [mcp, graphql] = [`${url}/mcp`, `${url}/graphql`]
  t.same(await opens(undefined), [graphql, 401, 200, 200], 'MCP clients must send `resource`')
  t.same(await opens(graphql), [graphql, 401, 200, 200])
  t.same(await opens(mcp), [mcp, 200, 401, 401])
  t.same(await opens(url), [[graphql, mcp], 200, 200, 200])
})

t.test('userinfo takes the token of a login whatever it is for, OpenID Connect Core 1.0 §5.3', async t => {
  const { url, db } = await service(t, { mcp: true })
  await db.updateTable('product_client').set({ scope: 'openid read' }).execute()
  for (const path of ['/mcp', '/graphql', '']) {
    const token = await accessToken(url, { scope: 'openid', resource: `${url}${path}` })
    const response = await fetch(`${url}/oauth/userinfo`, { headers: { authorization: `Bearer ${token}` } })
    t.match([response.status, await response.json()], [200, { sub: decodeJwt(token).sub }], path)
  }
})

t.test('a token of MCP is introspected and revoked like others, and ends with its client', async t => {
  const { url, db } = await service(t, { mcp: true })
  const ask = async (path: string, token: string) =>
    fetch(`${url}/oauth/${path}`, {
      method: 'POST',
      headers: { authorization: basic() },
      body: new URLSearchParams({ token })
    })
  const [revoked, token] = [
    await accessToken(url, { resource: `${url}/mcp` }),
    await accessToken(url, { resource: `${url}/mcp` })
  ]
  t.match(await (await ask('introspect', revoked)).json(), { active: true, aud: `${url}/mcp` })
  await ask('revoke', revoked)
  t.same(await (await ask('introspect', revoked)).json(), { active: false })
  t.same(
    [(await post(url, revoked, listTools)).status, (await post(url, token, listTools)).status],
    [401, 200]
  )
  await clients.disable(db, client.id)
  t.equal((await post(url, token, listTools)).status, 401)
})

t.test('tokens of a trusted issuer are taken if they are for /mcp', async t => {
  const { issuer, audience, sign } = await startIssuer(t)
  const trustedIssuers = JSON.stringify([{ issuer, audience }])
  const own = 'https://templates.example'
  const { url } = await service(t, { mcp: true, issuer: own, trustedIssuers })
  const status = async (aud: string | string[]) => {
    const token = await sign({ aud })
    const graphql = await graphqlRequest(url, token, { query: '{ __typename }' })
    return [(await post(url, token, listTools)).status, graphql.status]
  }
  t.same(await status(audience), [401, 200])
  t.same(await status([audience, `${own}/mcp`]), [200, 200])
  t.same(await status(`${own}/mcp`), [401, 401], 'not what the setting calls the service')
})

t.test('a client on its own behalf may use MCP, with its scopes', async t => {
  const { url, db } = await service(t, { mcp: true })
  await addClient(db, { id: 'robot', grantTypes: ['client_credentials'], scopes: ['read'] })
  const robot = { authorization: basic('robot', client.secret) }
  const itself = { grant_type: 'client_credentials', username: undefined, password: undefined }
  const token = await accessToken(url, { ...itself, resource: `${url}/mcp` }, robot)
  const { result } = (await (await post(url, token, listTools)).json()) as { result: { tools: object[] } }
  t.equal(result.tools.length, 5)
})
