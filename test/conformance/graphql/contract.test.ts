/** The GraphQL endpoint of the contract: request, response, authentication. */
import { t } from 'tap'
import { accessToken, graphqlRequest, query } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

t.test('query and variables in, data out, as JSON', async t => {
  const { url, db } = await service(t)
  await addTemplates(db, {}, {})
  const response = await graphqlRequest(url, await accessToken(url), {
    query: 'query { allProducts { id name } }',
    variables: {}
  })
  t.equal(response.status, 200)
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  t.same(await response.json(), {
    data: {
      allProducts: [
        { id: 1, name: 'template 1' },
        { id: 0, name: 'template 0' }
      ]
    }
  })
})

t.test('variables may be empty, filled, null or absent', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const variables of [{}, { unused: 1 }, null, undefined]) {
    const { status, body } = await query(url, token, '{ __typename }', { variables })
    t.same([status, body], [200, { data: { __typename: 'Query' } }])
  }
})

t.test('variables reach the operation', async t => {
  const { url } = await service(t)
  const { body } = await query(
    url,
    await accessToken(url),
    'query ($skip: Boolean!) { a: __typename b: __typename @skip(if: $skip) }',
    {
      variables: { skip: true }
    }
  )
  t.same(body, { data: { a: 'Query' } })
})

t.test('a token is needed, and the challenge names no error when there is none', async t => {
  const { url } = await service(t)
  const response = await fetch(`${url}/graphql`, { method: 'POST', body: 'not even JSON' })
  t.equal(response.status, 401)
  t.equal(response.headers.get('www-authenticate'), 'Bearer realm="product-templates"')
  const body = (await response.json()) as Record<string, unknown>
  t.same(Object.keys(body), ['errors'])
})

t.test('Basic credentials are no bearer token', async t => {
  const { url } = await service(t)
  const response = await graphqlRequest(url, '', { query: '{ __typename }' }, { authorization: 'Basic dTpw' })
  t.equal(response.status, 401)
})

t.test('the scheme is matched without regard to case', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const scheme of ['bearer', 'BEARER']) {
    const response = await graphqlRequest(
      url,
      '',
      { query: '{ __typename }' },
      { authorization: `${scheme} ${token}` }
    )
    t.equal(response.status, 200)
  }
})

t.test('a malformed header is 400 invalid_request', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  for (const authorization of [
    'Bearer',
    `Bearer  ${token}`,
    `Bearer ${token} x`,
    `Bearer ${token},${token}`
  ]) {
    const response = await graphqlRequest(url, '', { query: '{ __typename }' }, { authorization })
    t.equal(response.status, 400, authorization.slice(0, 10))
    t.match(response.headers.get('www-authenticate'), /error="invalid_request"/)
  }
})

t.test('a token without read is 403 and names the scope', async t => {
  const { url } = await service(t)
  const response = await graphqlRequest(url, await accessToken(url, { scope: 'write' }), {
    query: '{ __typename }'
  })
  t.equal(response.status, 403)
  t.match(response.headers.get('www-authenticate'), /error="insufficient_scope", scope="read"/)
})

t.test('a token in the query string is ignored', async t => {
  const { url } = await service(t)
  const response = await fetch(`${url}/graphql?access_token=${await accessToken(url)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}'
  })
  t.equal(response.status, 401)
})
