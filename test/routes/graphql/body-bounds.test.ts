// Runs on SQLite only.
import { t } from 'tap'
import { accessToken, graphqlRequest } from '../../support/http/http.ts'
import { service } from '../../support/service/service.ts'

t.test('levels and names are counted before a body is parsed', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const ask = async (body: string) => (await graphqlRequest(url, token, body)).json() as Promise<object>
  const withExtensions = (json: string) => `{"query":"{ __typename }","extensions":${json}}`
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  const names = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}" : 1`).join()}}`
  for (const [what, body] of [
    ['levels', withExtensions(nested(99))],
    ['levels', withExtensions(nested(500_000))],
    ['levels', '['.repeat(1_000_000)],
    ['levels', withExtensions(`{"a":"\\\\","b":${nested(99)}}`)],
    ['names', withExtensions(names(10_000))]
  ] as const) {
    const errors = [
      { message: new RegExp(`more than \\d+ .*${what}`), extensions: { code: 'BAD_USER_INPUT' } }
    ]
    t.match(await ask(body), { errors })
  }
  for (const json of [
    nested(97),
    names(9000),
    JSON.stringify({ a: '['.repeat(1000), b: '"'.repeat(1001) + '{'.repeat(1000), c: ['\\"['.repeat(500)] }),
    JSON.stringify(Array.from({ length: 20_000 }, (_, at) => `"k${at}" :`)),
    JSON.stringify({ list: Array(20_000).fill({ a: [] }) })
  ])
    t.same(await ask(withExtensions(`{"a":${json}}`)), { data: { __typename: 'Query' } }, json.slice(0, 40))
})

t.test('a body that is not UTF-8 is refused, instead of storing other letters', async t => {
  const { url } = await service(t)
  const headers = { authorization: `Bearer ${await accessToken(url)}`, 'content-type': 'application/json' }
  const send = (encoding: BufferEncoding) => {
    const body = Buffer.from('{"query":"{ __typename } # Zürich"}', encoding)
    return fetch(`${url}/graphql`, { method: 'POST', headers, body })
  }
  const refused = await send('latin1')
  t.equal(refused.status, 400)
  t.match(await refused.json(), { errors: [{ message: 'the request body is not valid UTF-8' }] })
  t.same(await (await send('utf8')).json(), { data: { __typename: 'Query' } })
})
