import { setTimeout } from 'node:timers/promises'
import { accessToken } from '../credentials.ts'
import { startService } from '../servers.ts'
import type { Target } from './index.ts'

/** Starts the compiled service on a database that has the demo credentials. */
export async function startOwn(database: string, core: number | undefined): Promise<Target> {
  const service = await startService(database, [], { core })
  return { server: service, url: `${service.url}/graphql`, token: await accessToken(service.url) }
}

const mutation =
  'mutation Write($name: String!) { updateProduct(id: 0, input: { name: $name }) { userErrors { message } } }'

/** Changes a template every 100 ms. Returns a function that stops this. */
export function writeMeanwhile({ url, token = '' }: Target): () => Promise<void> {
  let writing = true
  const writes = async () => {
    while (writing) {
      const begin = performance.now()
      await write(url, token)
      await setTimeout(Math.max(0, 100 - (performance.now() - begin)))
    }
  }
  const written = writes()
  return async () => {
    writing = false
    await written
  }
}

async function write(url: string, token: string): Promise<void> {
  const body = JSON.stringify({ query: mutation, variables: { name: `Written ${performance.now()}` } })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await (await fetch(url, { method: 'POST', headers, body })).text()
  if (!response.includes('"userErrors":[]')) throw new Error(`a write failed: ${response}`)
}
