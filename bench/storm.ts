import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import { accessToken } from './credentials.ts'
import { startService } from './servers.ts'

const seconds = 5

/** Milliseconds of /graphql alone and while 200 logins at once come again and again, and what became of those. */
export interface Storm {
  idleP99: number
  stormP99: number
  /** Logins by status; a refused one without Retry-After counts as `hasty`. */
  answers: Record<string, number>
}

export async function storm(database: string): Promise<Storm> {
  const service = await startService(database)
  const headers = {
    authorization: `Bearer ${await accessToken(service.url)}`,
    'content-type': 'application/json'
  }
  const body = JSON.stringify({ query: '{ allProducts { id name } }' })
  const graphql = async () => {
    const result = await autocannon({
      url: `${service.url}/graphql`,
      method: 'POST',
      headers,
      body,
      connections: 4,
      duration: seconds
    })
    if (result.non2xx > 0 || result.errors > 0) throw new Error('a query failed')
    return result.latency.p99
  }
  const idleP99 = await graphql()
  // From a process of its own: it would slow down the one that measures.
  const raging = spawn(process.execPath, [new URL('rage.ts', import.meta.url).pathname, service.url], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const told = text(raging.stdout)
  const stormP99 = await graphql()
  raging.kill('SIGTERM')
  const answers: Record<string, number> = JSON.parse(await told)
  await service.stop()
  return { idleP99, stormP99, answers }
}
