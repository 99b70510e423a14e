// Runs on SQLite only.
import { readFileSync } from 'node:fs'
import { t } from 'tap'
import { service } from '../support/service/service.ts'

const path = '/schemas/template.json'

t.test('the schema is served as it is in the documents, and can be cached', async t => {
  const { url } = await service(t)
  const response = await fetch(`${url}${path}`)
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'application/schema+json')
  t.equal(response.headers.get('cache-control'), 'public, max-age=3600')
  t.equal(
    await response.text(),
    readFileSync(new URL('../../domain/template.schema.json', import.meta.url), 'utf8')
  )

  const etag = response.headers.get('etag') ?? ''
  for (const known of [etag, `"other", W/${etag}`, '*']) {
    const again = await fetch(`${url}${path}`, { headers: { 'if-none-match': known } })
    t.same([again.status, again.headers.get('etag'), await again.text()], [304, etag, ''])
  }
  t.equal((await fetch(`${url}${path}`, { headers: { 'if-none-match': '"other"' } })).status, 200)
})

t.test('scripts of any web page may read it', async t => {
  const { url } = await service(t, { prefix: '/shop' })
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${url}${path}`, { method })
    t.same([response.status, response.headers.get('access-control-allow-origin')], [200, '*'])
    t.equal(response.headers.get('access-control-expose-headers'), 'ETag')
  }
  const preflight = await fetch(`${url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://wallet.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'if-none-match'
    }
  })
  t.equal(preflight.status, 204)
  t.match(Object.fromEntries(preflight.headers), {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': '*'
  })
  const refused = await fetch(`${url}${path}`, { method: 'POST' })
  t.same([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
  t.equal(refused.headers.get('access-control-allow-origin'), '*', 'also the refusal of a method')
})
