import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import { accessToken } from './credentials.ts'
import { startService } from './servers.ts'

const seconds = 5

/** The latency of /graphql in milliseconds, idle and under bursts of 200 logins, and the results of these logins. */
export interface Storm {
  idleP99: number
  stormP99: number
  /** Logins by status; `hasty` counts refusals without Retry-After. */
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
  // In a separate process, so that it does not slow down the measurement.
  const bursts = spawn(
    process.execPath,
    [new URL('login-bursts.ts', import.meta.url).pathname, service.url],
    {
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  const output = text(bursts.stdout)
  const stormP99 = await graphql()
  bursts.kill('SIGTERM')
  const answers: Record<string, number> = JSON.parse(await output)
  await service.stop()
  return { idleP99, stormP99, answers }
}
