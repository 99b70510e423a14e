// npm install @urql/core @urql/exchange-graphcache graphql gql.tada product-templates-client
import { Client, fetchExchange } from '@urql/core'
import { type Cache, cacheExchange, type Data } from '@urql/exchange-graphcache'
import { relayPagination } from '@urql/exchange-graphcache/extras'
import type { Client as Service } from 'product-templates-client'
import { Delete, History, Product, Products, Rename } from '../gql-tada/documents.ts'
import type { ResultOf, VariablesOf } from '../gql-tada/graphql.ts'

const nodeId = ({ nodeId }: Data) => String(nodeId)

/** Takes a template out of the pages, and out of the cache. */
function forget(cache: Cache, template: string) {
  for (const { fieldName, fieldKey } of cache.inspectFields('Query')) {
    if (fieldName !== 'products') continue
    const page = cache.resolve('Query', fieldKey) as string
    const edges = cache.resolve(page, 'edges') as string[]
    const left = edges.filter(edge => cache.resolve(edge, 'node') !== template)
    if (left.length < edges.length) cache.link(page, 'edges', left)
  }
  cache.invalidate(template)
}

export const createCache = () =>
  cacheExchange({
    // Of two objects, no two have the same nodeId. Contents belong to their revision.
    keys: {
      ProductTemplate: nodeId,
      ProductRevision: nodeId,
      RevisionAuthor: nodeId,
      ProductContents: () => null
    },
    resolvers: { Query: { products: relayPagination({ mergeMode: 'outwards' }) } },
    updates: {
      Mutation: {
        deleteProduct({ deleteProduct }: ResultOf<typeof Delete>, _variables, cache) {
          const nodeId = deleteProduct?.deletedNodeId
          if (nodeId) forget(cache, `ProductTemplate:${nodeId}`)
        }
      }
    }
  })

export async function openGallery(url: string, { fetch }: Service) {
  const client = new Client({
    url: `${url}/graphql`,
    preferGetMethod: false,
    fetch,
    exchanges: [createCache(), fetchExchange]
  })
  let latest: VariablesOf<typeof Products> = { first: 2 }
  // The resolver puts the pages together: the latest query has all that were read.
  const list = () => client.readQuery(Products, latest)?.data?.products
  const read = async (variables: typeof latest) => {
    await client.query(Products, variables, { requestPolicy: 'network-only' })
    latest = variables
  }
  await read(latest)
  return {
    names: () => list()?.edges.map(({ node }) => node.name),
    forward: () => read({ first: 2, after: list()?.pageInfo.endCursor }),
    back: () => read({ last: 2, before: list()?.pageInfo.startCursor }),
    product: async (id: number) => (await client.query(Product, { id })).data?.product,
    // A change adds a revision, so the history in the cache may be old.
    history: async (id: number) => {
      const { data } = await client.query(History, { id }, { requestPolicy: 'network-only' })
      return data?.productRevisions.nodes.map(({ contents }) => contents?.name)
    },
    // The payload has the template, in a conflict what somebody else has made of it: the cache takes it.
    rename: async (id: number, name: string, expectedRevision: number) => {
      const { data } = await client.mutation(Rename, { id, name, expectedRevision })
      return data?.updateProduct?.userErrors.map(({ code }) => code)
    },
    remove: async (id: number, expectedRevision: number) => {
      const { data } = await client.mutation(Delete, { id, expectedRevision })
      return data?.deleteProduct?.userErrors.map(({ code }) => code)
    }
  }
}
