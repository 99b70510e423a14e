import { setTimeout } from 'node:timers/promises'
import { accessToken } from '../credentials.ts'
import { startService } from '../servers.ts'
import type { Meanwhile, Target } from './index.ts'

/** Starts the compiled service on a database that has the demo credentials; in production mode, as the others. */
export async function startOwn(database: string, core: number | undefined): Promise<Target> {
  const service = await startService(database, [], { core, env: { NODE_ENV: 'production' } })
  return { server: service, url: `${service.url}/graphql`, token: await accessToken(service.url) }
}

const mutation =
  'mutation Write($name: String!) { updateProduct(id: 0, input: { name: $name }) { userErrors { message } } }'

/** Changes a template every 100 ms. */
export const writeMeanwhile: Meanwhile = async ({ url, token = '' }) => {
  const begin = performance.now()
  let [writing, count] = [true, 0]
  const writes = async () => {
    while (writing) {
      const due = performance.now() + 100
      await write(url, token)
      count++
      await setTimeout(Math.max(0, due - performance.now()))
    }
  }
  const written = writes()
  return async () => {
    writing = false
    await written
    return (count * 1000) / (performance.now() - begin)
  }
}

async function write(url: string, token: string): Promise<void> {
  const body = JSON.stringify({ query: mutation, variables: { name: `Written ${performance.now()}` } })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await (await fetch(url, { method: 'POST', headers, body })).text()
  if (!response.includes('"userErrors":[]')) throw new Error(`a write failed: ${response}`)
}
