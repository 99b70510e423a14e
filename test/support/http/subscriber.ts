/** Subscriptions with the client of graphql-sse. */
import { type Client, createClient } from 'graphql-sse'
import type { Test } from 'tap'

/** A change with the fields that `changedText` selects. */
export interface Changed {
  cursor: string
  templateId: number
  revision: number
  action: 'INSERT' | 'UPDATE' | 'DELETE'
  contents: { name: string } | null
}

export const changedText = `subscription Changed($where: ProductTemplateFilter, $after: String) {
  productChanged(where: $where, after: $after) { cursor templateId revision action contents { name } }
}`

/** Creates a client that does not retry. */
export function subscriber(
  t: Test,
  url: string,
  token: string,
  headers: Record<string, string> = {}
): Client {
  const client = createClient({
    url: `${url}/graphql`,
    headers: { authorization: `Bearer ${token}`, ...headers },
    retryAttempts: 0
  })
  t.teardown(() => client.dispose())
  return client
}

export const subscribe = (client: Client, variables: Record<string, unknown> = {}, query = changedText) =>
  client.iterate<{ productChanged: Changed }>({ query, variables })

export type Results = ReturnType<typeof subscribe>

/** Reads the next changes. */
export async function readChanges(results: Results, count: number): Promise<Changed[]> {
  const found: Changed[] = []
  while (found.length < count) {
    const { value, done } = await results.next()
    if (done || !value.data || value.errors)
      throw new Error(`ended after ${found.length} of ${count}: ${JSON.stringify(value)}`)
    found.push(value.data.productChanged)
  }
  return found
}
