// Runs on SQLite only, in test:all only.
/** Trusted documents of other clients: the manifests that they write, and how they send identifiers. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { parse, print } from 'graphql'
import { type Test, t } from 'tap'
import { readDocument } from '../../build/docs.ts'
import { network } from '../client/network.ts'
import { directory } from '../support/database/database.ts'
import { accessToken, graphqlRequest } from '../support/http/http.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { generateExample } from './codegen.ts'

/** Starts a service with two templates and a manifest. */
async function start(t: Test, graphqlDocuments: string) {
  const { url, db } = await service(t, { graphqlDocuments })
  await addTemplates(db, {}, {})
  return { url, token: await accessToken(url) }
}

t.test(
  'Apollo Client sends identifiers of its manifest, and the text of a document that is missing',
  async t => {
    const Names = gql('query Names { allProducts { name } }')
    const More = gql('query More { allProducts { id } }')
    const body = 'query Names { allProducts { name __typename } }'
    const { url, token } = await start(
      t,
      JSON.stringify({
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [{ id: 'the-names', name: 'Names', type: 'query', body }]
      })
    )
    const between = await network(t, url)
    const ids = new Map([[print(parse(body)), 'the-names']])
    const link = ApolloLink.from([
      // The link asks for the identifier of each document.
      new PersistedQueryLink({
        generateHash: ({ definitions: [first] }) => ids.get(print(first as never)) ?? 'unknown'
      }),
      new HttpLink({ uri: `${between.url}/graphql`, headers: { authorization: `Bearer ${token}` } })
    ])
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    t.match((await client.query({ query: Names })).data, { allProducts: [{ name: 'template 1' }, {}] })
    t.equal(between.requests.length, 1)
    t.match((await client.query({ query: More })).data, { allProducts: [{ id: 1 }, { id: 0 }] })
    t.equal(between.requests.length, 3)
  }
)

t.test('the manifest of graphql-codegen, in a file', async t => {
  const schema = readDocument('graphql/schema.graphql')
  const files = await generateExample(schema, { persistedDocuments: true })
  const json = files['examples/graphql-codegen/src/gql/persisted-documents.json'] as string
  const path = join(await directory(t), 'persisted-documents.json')
  await writeFile(path, json)
  const { url, token } = await start(t, path)
  const [[documentId, text]] = Object.entries<string>(JSON.parse(json)).filter(
    ([, text]) => text.includes('allProducts') || text.includes('products(')
  ) as [[string, string]]
  t.match(text, /query/)
  const response = await graphqlRequest(url, token, { documentId, variables: { first: 1 } })
  t.ok(((await response.json()) as { data?: object }).data)
})
