// npm install relay-runtime product-templates-client && npm install --save-dev relay-compiler babel-plugin-relay
import type { Client } from 'product-templates-client'
import relay from 'relay-runtime'
import { createEnvironment, mutate } from './environment.ts'
import type { galleryDeleteMutation } from './generated/galleryDeleteMutation.graphql'
import type { galleryHistoryQuery } from './generated/galleryHistoryQuery.graphql'
import type { galleryProductQuery } from './generated/galleryProductQuery.graphql'
import type { galleryProductsQuery } from './generated/galleryProductsQuery.graphql'
import type { galleryRenameMutation } from './generated/galleryRenameMutation.graphql'

const { graphql } = relay

const Products = graphql`
  query galleryProductsQuery($first: Int, $after: String, $last: Int, $before: String) {
    products(first: $first, after: $after, last: $last, before: $before, orderBy: { field: ID, direction: DESC })
      @connection(key: "gallery_products") {
      __id
      edges { node { name } }
      pageInfo { startCursor endCursor }
    }
  }
`
const Product = graphql`query galleryProductQuery($id: Int!) { product(id: $id) { name revision } }`
const History = graphql`
  query galleryHistoryQuery($id: Int!) { productRevisions(id: $id) { nodes { contents { name } } } }
`
const Rename = graphql`
  mutation galleryRenameMutation($id: Int!, $name: String!, $expectedRevision: Int!) {
    updateProduct(id: $id, input: { name: $name }, expectedRevision: $expectedRevision) {
      product { name revision }
      userErrors { code }
    }
  }
`
const Delete = graphql`
  mutation galleryDeleteMutation($id: Int!, $expectedRevision: Int!, $connections: [ID!]!) {
    deleteProduct(id: $id, expectedRevision: $expectedRevision) {
      edge: deletedNodeId @deleteEdge(connections: $connections)
      deletedNodeId @deleteRecord
      userErrors { code }
    }
  }
`

export async function openGallery(url: string, client: Client) {
  const environment = createEnvironment(url, client)
  const operation = relay.createOperationDescriptor(relay.getRequest(Products), { first: 2 })
  // Keeps the list in the store. It has all pages that were read.
  environment.retain(operation)
  const list = () =>
    (environment.lookup(operation.fragment).data as galleryProductsQuery['response']).products
  const read = (variables: galleryProductsQuery['variables']) =>
    relay.fetchQuery(environment, Products, variables).toPromise()
  await read({ first: 2 })
  return {
    names: () => list().edges.map(({ node }) => node.name),
    forward: () => read({ first: 2, after: list().pageInfo.endCursor }),
    back: () => read({ last: 2, before: list().pageInfo.startCursor }),
    product: async (id: number) => {
      const options = { fetchPolicy: 'store-or-network' } as const
      return (await relay.fetchQuery<galleryProductQuery>(environment, Product, { id }, options).toPromise())
        ?.product
    },
    history: async (id: number) => {
      const data = await relay.fetchQuery<galleryHistoryQuery>(environment, History, { id }).toPromise()
      return data?.productRevisions.nodes.map(({ contents }) => contents?.name)
    },
    // The payload has the template, in a conflict what somebody else has made of it: the store takes it.
    rename: async (id: number, name: string, expectedRevision: number) => {
      const variables = { id, name, expectedRevision }
      const { updateProduct } = await mutate<galleryRenameMutation>(environment, Rename, variables)
      return updateProduct?.userErrors.map(({ code }) => code)
    },
    remove: async (id: number, expectedRevision: number) => {
      const variables = { id, expectedRevision, connections: [list().__id] }
      const { deleteProduct } = await mutate<galleryDeleteMutation>(environment, Delete, variables)
      return deleteProduct?.userErrors.map(({ code }) => code)
    }
  }
}
