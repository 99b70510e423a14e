// Runs in test:all only.
/** The SDK's client from its first request, which is refused, to a restored template. */
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { decodeJwt } from 'jose'
import { t } from 'tap'
import { accessToken, query } from '../../../test/support/http/http.ts'
import { call, describeClient, logIn, privateNetworks, provider } from '../../../test/support/http/mcp.ts'
import { addTemplates, service } from '../../../test/support/service/service.ts'

for (const prefix of ['', '/shop'])
  t.test(`from 401 to a restored template${prefix && ', under a prefix'}`, async t => {
    const { url, db } = await service(t, { mcp: true, privateNetworks, prefix })
    await addTemplates(db, { id: 12, name: 'Sword', data: '{"attributes":[]}' }, { id: 13, name: 'Shield' })
    const { id, host } = await describeClient(t)
    const { authProvider, asked, kept } = provider(id)
    const begin = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider })

    const refused = begin()
    const first = new Client({ name: 'test', version: '1' }).connect(refused as never)
    t.type(await first.catch(error => error), UnauthorizedError)
    const [address] = asked as [URL]
    t.match(Object.fromEntries(address.searchParams), {
      client_id: id,
      scope: 'read write',
      resource: `${url}/mcp`,
      code_challenge_method: 'S256'
    })
    const { login, consent, done } = await logIn(url, address)
    t.match(login.text, `to continue to <strong>Assistant (${host})</strong>`)
    t.match(consent.text, `<strong>Assistant (${host})</strong> asks to use your account`)
    t.match(consent.text, /This application is not registered here/)
    t.match(consent.text, 'You will return to <strong>localhost:4567</strong>')
    await refused.finishAuth(done.location?.searchParams.get('code') ?? '')
    const { access_token: token, refresh_token: refreshToken } = kept.tokens as Record<string, string>
    t.equal(decodeJwt(token as string).aud, `${url}/mcp`)
    t.ok(refreshToken)

    const mcp = new Client({ name: 'test', version: '1' })
    await mcp.connect(begin() as never)
    t.teardown(() => mcp.close())
    const found = await call(mcp, 'search_templates', { where: { search: 'sword' } })
    t.match(found.data.products, { nodes: [{ id: 12, name: 'Sword', revision: 1 }], totalCountUpTo: 1 })
    t.same(JSON.parse(found.texts[0] as string), found.data)
    const { data: read } = await call(mcp, 'get_template', { id: 12 })
    t.match(read.product, { id: 12, revision: 1, data: '{"attributes":[]}' })

    const change = { id: 12, input: { name: 'Axe' }, expectedRevision: 1, message: 'as asked' }
    const dry = await call(mcp, 'update_template', change)
    t.match(dry.data.updateProduct, { product: { name: 'Axe', revision: 2 }, userErrors: [] })
    t.match(dry.data.updateProduct.diff.text, /- {2}"name": "Sword",\n\+ {2}"name": "Axe"/)
    t.match(dry.texts[1], /nothing was written/)
    t.equal((await call(mcp, 'get_template', { id: 12 })).data.product.name, 'Sword')
    const written = await call(mcp, 'update_template', { ...change, dryRun: false })
    t.match(written.data.updateProduct.product, { name: 'Axe', revision: 2 })
    t.equal(written.texts.length, 1)
    t.match(await call(mcp, 'update_template', { ...change, dryRun: false }), {
      isError: true,
      data: { updateProduct: { userErrors: [{ code: 'CONFLICT', currentRevision: 2 }] } }
    })

    const { data: history } = await call(mcp, 'get_history', { id: 12 })
    t.match(history.productRevisions.nodes, [
      {
        number: 2,
        action: 'UPDATE',
        message: 'as asked (MCP tool update_template)',
        author: { name: 'Ada Byron', clientName: `Assistant (${host})` }
      },
      { number: 1 }
    ])
    const { data: oldest } = await call(mcp, 'get_revision', { id: 12, revision: 1 })
    t.match(oldest.productRevision, {
      action: 'CREATE',
      contents: { name: 'Sword', data: '{"attributes":[]}' }
    })
    const back = { id: 12, revision: 1, expectedRevision: 2 }
    t.match(
      (await call(mcp, 'restore_template', back)).data.restoreProduct.diff.text,
      /\+ {2}"name": "Sword"/
    )
    await call(mcp, 'restore_template', { ...back, dryRun: false })
    const { data: restored } = await call(mcp, 'get_template', { id: 12 })
    t.match(restored.product, { name: 'Sword', revision: 3 })
    const { body } = await query(
      url,
      await accessToken(url),
      '{ product(id: 12) { revisions(first: 1) { nodes { message } } } }'
    )
    t.equal(body.data.product.revisions.nodes[0].message, '(MCP tool restore_template)')

    // The access token has ended; the client refreshes it, and goes on.
    kept.tokens = { ...(kept.tokens as object), access_token: `${token}x` }
    t.equal((await call(mcp, 'get_template', { id: 13 })).data.product.name, 'Shield')
    const { access_token: next } = kept.tokens as Record<string, string>
    t.equal(decodeJwt(next as string).aud, `${url}/mcp`, 'a new token is for the same resource')
    t.equal(asked.length, 1, 'without its user')
  })
