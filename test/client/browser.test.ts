// Runs on SQLite only, in test:all only.
/** Pages on an origin of their own, in a real browser: the recipe, bundled, and headers that libraries add. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { type Test, t } from 'tap'
import { launch } from '../explorer/browse.ts'
import { accessToken } from '../support/http/http.ts'
import { needs } from '../support/programs.ts'
import { addClient, addTemplates, service, user } from '../support/service/service.ts'
import { readRecipes, writeRecipes } from './recipes.ts'

/** Serves a page with a script; returns its origin. */
async function serveScript(t: Test, script: () => string): Promise<string> {
  const server = createServer(({ url }, response) => {
    if (url === '/script.js') response.setHeader('Content-Type', 'text/javascript').end(script())
    else
      response
        .setHeader('Content-Type', 'text/html')
        .end('<body><script type="module" src="script.js"></script>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('a page logs in and reads; after a reload it needs no password', needs('chromium'), async t => {
  let script = ''
  const origin = await serveScript(t, () => script)
  const { db, url } = await service(t, { corsOrigins: origin })
  await addTemplates(db, { id: 1, name: 'Lamp' }, { id: 2, name: 'Shade' })
  const grantTypes = ['authorization_code', 'refresh_token']
  await addClient(db, {
    id: 'page',
    grantTypes,
    isPublic: true,
    redirectUris: ['http://127.0.0.1/'],
    firstParty: true
  })
  const folder = writeRecipes(t, readRecipes(url))
  const { outputFiles } = await build({
    entryPoints: [`${folder}/login.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm'
  })
  script = outputFiles[0]?.text ?? ''

  const page = await (await launch(t)).newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  const shown = () => page.waitForFunction(() => document.body.textContent?.includes('Lamp'))

  await page.goto(`${origin}/`)
  await page.fill('[name=username]', user.email)
  await page.fill('[name=password]', user.password)
  await page.keyboard.press('Enter')
  await shown()
  t.equal(await page.textContent('body'), 'Shade, Lamp')
  t.equal(page.url(), `${origin}/`, 'the code is not left in the address')
  t.equal(await page.evaluate('sessionStorage.length'), 0)
  await page.reload()
  await shown()
  t.same(complaints, [])
})

/** What OpenTelemetry, Sentry, Datadog and Apollo Client add to the requests of a page. */
const added = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'rojo=00f067aa0ba902b7',
  baggage: 'sentry-trace_id=0af7651916cd43dd8448eb211c80319c,sentry-environment=production',
  'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1',
  'x-datadog-trace-id': '1',
  'x-datadog-origin': 'rum',
  'apollographql-client-name': 'page',
  'apollographql-client-version': '1'
}

t.test('a page sends the headers of its tracing to each endpoint', needs('chromium'), async t => {
  const origin = await serveScript(t, () => '')
  const { url, db } = await service(t, { corsOrigins: origin })
  await addTemplates(db, { id: 1, name: 'Lamp' })
  const headers = { ...added, authorization: `Bearer ${await accessToken(url)}` }
  const page = await (await launch(t)).newPage()
  await page.goto(`${origin}/`)
  const ask = (path: string, method: string, headers: Record<string, string>, body: string | null = null) =>
    page.evaluate(
      async ([path, method, headers, body]) =>
        fetch(path, { method, headers, body, cache: 'no-store' }).then(
          async response => [response.status, await response.text()] as const,
          (error: Error) => [0, error.message] as const
        ),
      [url + path, method, headers, body] as const
    )
  const json = { ...headers, 'content-type': 'application/json' }
  const names = '{"query":"{ allProducts { name } }"}'
  t.same(await ask('/graphql', 'POST', json, names), [200, '{"data":{"allProducts":[{"name":"Lamp"}]}}'])
  t.equal((await ask('/graphql?query={allProducts{name}}', 'GET', headers))[0], 200)
  t.equal((await ask('/oauth/revoke', 'POST', added))[0], 401, 'a refusal is readable, too')
  t.equal((await ask('/.well-known/jwks.json', 'GET', added))[0], 200)
  t.equal((await ask('/metadata/1.json', 'GET', headers))[0], 200, 'also where all pages may read')
  await page.goto(`${origin.replace('127.0.0.1', 'localhost')}/`)
  t.same(await ask('/graphql', 'POST', json, names), [0, 'Failed to fetch'], 'an origin that is not listed')
})
