// npm install @apollo/client rxjs graphql gql.tada product-templates-client
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client'
import { relayStylePagination } from '@apollo/client/utilities'
import type { Client } from 'product-templates-client'
import { Delete, History, Product, Products, Rename } from '../gql-tada/documents.ts'

export function createCache() {
  return new InMemoryCache({
    possibleTypes: { Node: ['ProductTemplate', 'ProductRevision', 'RevisionAuthor'] },
    typePolicies: {
      // Of two objects, no two have the same nodeId.
      Node: { keyFields: ['nodeId'] },
      Query: { fields: { products: relayStylePagination(['where', 'orderBy']) } }
    }
  })
}

export async function openGallery(url: string, { fetch }: Client) {
  const link = new HttpLink({ uri: `${url}/graphql`, fetch })
  const client = new ApolloClient({ link, cache: createCache() })
  const variables = { first: 2 }
  await client.query({ query: Products, variables })
  const watched = client.watchQuery({ query: Products, variables })
  watched.subscribe(() => {})
  // The policy puts the pages together: this has all that were read.
  const list = () => client.readQuery({ query: Products })?.products
  return {
    names: () => list()?.edges.map(({ node }) => node.name),
    forward: () => watched.fetchMore({ variables: { after: list()?.pageInfo.endCursor } }),
    back: () =>
      watched.fetchMore({ variables: { first: null, last: 2, before: list()?.pageInfo.startCursor } }),
    product: async (id: number) => (await client.query({ query: Product, variables: { id } })).data?.product,
    // A change adds a revision, so the history in the cache may be old.
    history: async (id: number) => {
      const { data } = await client.query({ query: History, variables: { id }, fetchPolicy: 'network-only' })
      return data?.productRevisions.nodes.map(({ contents }) => contents?.name)
    },
    // The payload has the template, in a conflict what somebody else has made of it: the cache takes it.
    rename: async (id: number, name: string, expectedRevision: number) => {
      const { data } = await client.mutate({ mutation: Rename, variables: { id, name, expectedRevision } })
      return data?.updateProduct?.userErrors.map(({ code }) => code)
    },
    remove: async (id: number, expectedRevision: number) => {
      const { data } = await client.mutate({ mutation: Delete, variables: { id, expectedRevision } })
      const nodeId = data?.deleteProduct?.deletedNodeId
      if (nodeId) client.cache.evict({ id: client.cache.identify({ __typename: 'ProductTemplate', nodeId }) })
      return data?.deleteProduct?.userErrors.map(({ code }) => code)
    }
  }
}
