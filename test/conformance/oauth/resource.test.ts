/** Resource indicators: RFC 8707. Which tokens an endpoint takes is in features/mcp/test/tokens.test.ts. */
import { decodeJwt } from 'jose'
import { type Test, t } from 'tap'
import {
  authorization,
  authorizePath,
  pkce,
  redirectUri,
  TestBrowser
} from '../../support/browser/browser.ts'
import { basic, tokenRequest } from '../../support/http/http.ts'
import { logIn } from '../../support/http/mcp.ts'
import { addClient, client, service } from '../../support/service/service.ts'

const web = 'web'
const asWeb = { authorization: basic(web, client.secret) }

async function start(t: Test, mcp = true) {
  const running = await service(t, { mcp })
  const grantTypes = ['password', 'authorization_code', 'refresh_token']
  await addClient(running.db, { id: web, grantTypes, redirectUris: [redirectUri] })
  return running
}

const answer = async (response: Response) => {
  const body = (await response.json()) as { error?: string; access_token?: string; refresh_token?: string }
  return { ...body, aud: body.access_token && decodeJwt(body.access_token).aud }
}

t.test('a resource of nobody here is invalid_target', async t => {
  const { url } = await start(t)
  const { url: off } = await start(t, false)
  const wrong = ['https://other.example', `${url}/other`, `${url}/mcp/x`, `${url}/mcp#x`, 'mcp', `${url}//`]
  for (const resource of wrong) {
    const refused = await tokenRequest(url, { resource }, asWeb)
    t.same([refused.status, (await answer(refused)).error], [400, 'invalid_target'], resource)
    const page = await new TestBrowser(url).visit(authorizePath(authorization({ client_id: web, resource })))
    t.equal(page.location?.searchParams.get('error'), 'invalid_target', resource)
  }
  t.equal(
    (await tokenRequest(off, { resource: 'anything' })).status,
    200,
    'without MCP it is unknown, and ignored'
  )
  t.equal((await answer(await tokenRequest(off, { resource: `${off}/graphql` }))).aud, `${off}/graphql`)
  t.equal((await tokenRequest(url, { resource: '' })).status, 200, 'an empty one is absent')
  t.same((await answer(await tokenRequest(url, { resource: `${url}/` }))).aud, [
    `${url}/graphql`,
    `${url}/mcp`
  ])
})

t.test('a code is for its resource, and its tokens are for no more', async t => {
  const { url } = await start(t)
  /** Logs in for a resource, and exchanges the code for tokens for another one. */
  const exchange = async (asked: string | undefined, wanted: string | undefined) => {
    const { challenge, verifier: code_verifier } = pkce()
    const parameters = authorization({ client_id: web, code_challenge: challenge, resource: asked })
    const { done } = await logIn(url, new URL(`${url}${authorizePath(parameters)}`))
    const code = done.location?.searchParams.get('code') ?? ''
    const none = { username: undefined, password: undefined }
    const form = { ...none, grant_type: 'authorization_code', redirect_uri: redirectUri, code, code_verifier }
    return answer(await tokenRequest(url, { ...form, resource: wanted }, asWeb))
  }
  const [graphql, mcp] = [`${url}/graphql`, `${url}/mcp`]
  t.equal((await exchange(undefined, undefined)).aud, graphql)
  t.equal((await exchange(undefined, graphql)).aud, graphql)
  t.equal((await exchange(mcp, undefined)).aud, mcp)
  t.equal((await exchange(mcp, mcp)).aud, mcp)
  t.same((await exchange(url, undefined)).aud, [graphql, mcp])
  t.equal((await exchange(url, mcp)).aud, mcp, 'less than all')
  t.equal((await exchange(undefined, mcp)).error, 'invalid_target')
  t.equal((await exchange(graphql, mcp)).error, 'invalid_target')
  t.equal((await exchange(mcp, url)).error, 'invalid_target')
  t.equal((await exchange(mcp, graphql)).error, 'invalid_target')
})

t.test('a refresh token keeps the resource of its login, and a refused one is not used up', async t => {
  const { url } = await start(t)
  const [graphql, mcp] = [`${url}/graphql`, `${url}/mcp`]
  const none = { username: undefined, password: undefined }
  const refresh = async (refresh_token = '', resource?: string) =>
    answer(await tokenRequest(url, { ...none, grant_type: 'refresh_token', refresh_token, resource }, asWeb))
  const login = await answer(await tokenRequest(url, { resource: mcp }, asWeb))
  t.equal((await refresh(login.refresh_token, graphql)).error, 'invalid_target')
  const next = await refresh(login.refresh_token)
  t.equal(next.aud, mcp)
  t.equal((await refresh(next.refresh_token, mcp)).aud, mcp)
  const all = await answer(await tokenRequest(url, { resource: url }, asWeb))
  const narrow = await refresh(all.refresh_token, mcp)
  t.equal(narrow.aud, mcp)
  t.same((await refresh(narrow.refresh_token)).aud, [graphql, mcp], 'the login stays as it was')
  const plain = await answer(await tokenRequest(url, {}, asWeb))
  t.equal((await refresh(plain.refresh_token, mcp)).error, 'invalid_target')
})
