// npm install @tanstack/query-core graphql gql.tada product-templates-client; with React, @tanstack/react-query
import { type InfiniteData, InfiniteQueryObserver, QueryClient } from '@tanstack/query-core'
import type { Client } from 'product-templates-client'
import { Delete, History, Product, Products, Rename } from '../gql-tada/documents.ts'
import type { ResultOf, VariablesOf } from '../gql-tada/graphql.ts'

type Page = ResultOf<typeof Products>
type Edge = Page['products']['edges'][number]

const startCursor = ({ products }: Page) => products.pageInfo.startCursor
const endCursor = ({ products }: Page) => products.pageInfo.endCursor
const listNames = ({ products }: Page) => products.edges.map(({ node }) => node.name)

function watchList(cache: QueryClient, client: Client) {
  const list = new InfiniteQueryObserver(cache, {
    queryKey: ['products'],
    queryFn: ({ pageParam }) => client.request(Products, pageParam),
    initialPageParam: { first: 2 } as VariablesOf<typeof Products>,
    // A page without templates has no cursors.
    getNextPageParam: (_, pages) => ({ first: 2, after: pages.map(endCursor).findLast(Boolean) }),
    getPreviousPageParam: (_, pages) => ({ last: 2, before: pages.map(startCursor).find(Boolean) })
  })
  list.subscribe(() => {})
  return list
}

/** This cache knows results, not objects: an object is to be edited wherever it occurs. */
const editList = (cache: QueryClient, edit: (edge: Edge) => Edge[]) =>
  cache.setQueryData<InfiniteData<Page>>(['products'], data => {
    const editPage = ({ products }: Page) => ({
      products: { ...products, edges: products.edges.flatMap(edit) }
    })
    return data && { ...data, pages: data.pages.map(editPage) }
  })

export async function openGallery(client: Client) {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } })
  const list = watchList(cache, client)
  await list.refetch({ cancelRefetch: false })
  return {
    names: () => list.getCurrentResult().data?.pages.flatMap(listNames),
    forward: () => list.fetchNextPage(),
    back: () => list.fetchPreviousPage(),
    product: (id: number) => {
      const queryFn = async () => (await client.request(Product, { id })).product
      return cache.fetchQuery({ queryKey: ['product', id], queryFn })
    },
    // A change adds a revision, so the history in the cache may be old.
    history: async (id: number) => {
      const queryFn = () => client.request(History, { id })
      const { productRevisions } = await cache.fetchQuery({
        queryKey: ['history', id],
        queryFn,
        staleTime: 0
      })
      return productRevisions.nodes.map(({ contents }) => contents?.name)
    },
    // The payload has the template, in a conflict what somebody else has made of it: the cache takes it.
    rename: async (id: number, name: string, expectedRevision: number) => {
      const { updateProduct } = await client.request(Rename, { id, name, expectedRevision })
      const node = updateProduct?.product
      if (node) cache.setQueryData(['product', id], node)
      if (node) editList(cache, edge => [edge.node.nodeId === node.nodeId ? { ...edge, node } : edge])
      return updateProduct?.userErrors.map(({ code }) => code)
    },
    remove: async (id: number, expectedRevision: number) => {
      const { deleteProduct } = await client.request(Delete, { id, expectedRevision })
      const nodeId = deleteProduct?.deletedNodeId
      if (nodeId) cache.setQueryData(['product', id], null)
      if (nodeId) editList(cache, edge => (edge.node.nodeId === nodeId ? [] : [edge]))
      return deleteProduct?.userErrors.map(({ code }) => code)
    }
  }
}
