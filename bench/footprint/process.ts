import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import autocannon from 'autocannon'
import { readProcess } from '../server-process.ts'

/** The resources of a process: milliseconds and processor time until it is ready, and resident MiB. */
export interface Footprint {
  ready: number
  cpu: number
  idle: number
  loaded: number
}

interface Subject {
  words: string[]
  env: Record<string, string>
  query: string
  getToken?: (origin: string) => Promise<string>
}

const requests = 10_000
/** Milliseconds until a process counts as idle: longer than the service waits before it clears its heap. */
const untilIdle = 3000
/** Milliseconds between two readiness checks, and the maximum number of checks. */
const interval = 2
const attempts = 10_000

/** Starts `node …words` on a free port and measures it. Throws if it does not become ready. */
export async function measureProcess({ words, env, query, getToken }: Subject): Promise<Footprint> {
  const port = await findFreePort()
  const begin = performance.now()
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit']
  })
  try {
    await untilReady(port)
    const ready = performance.now() - begin
    const cpu = readCpuTime(child.pid)
    await setTimeout(untilIdle)
    const idle = readMemory(child.pid)
    const origin = `http://127.0.0.1:${port}`
    const token = await getToken?.(origin)
    const { non2xx, errors } = await autocannon({
      url: `${origin}/graphql`,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query }),
      connections: 16,
      amount: requests
    })
    if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`)
    return { ready, cpu, idle, loaded: readMemory(child.pid) }
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

async function untilReady(port: number): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await isReady(port)) return
    await setTimeout(interval)
  }
  throw new Error('it did not become ready')
}

const isReady = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

const readMemory = (pid: number | undefined): number =>
  Number(readProcess(pid, 'status').match(/VmRSS:\s+(\d+) kB/)?.[1]) / 1024

/** Returns the processor time in milliseconds; see `cpuSeconds` of the other servers. */
function readCpuTime(pid: number | undefined): number {
  const fields = readProcess(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
