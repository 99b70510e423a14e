/** What the log of a service with several workers says of its processes. */
import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import type { Test } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { basic } from '../support/http/http.ts'
import { type Running, serve } from '../support/service/process.ts'

export type Service = Awaited<ReturnType<typeof serveByTwo>>

interface LogLine {
  pid: number
  msg: string
}

/** A login with the demo data. */
export const login = {
  method: 'POST',
  headers: {
    authorization: basic(demo.clientId, demo.clientSecret),
    'content-type': 'application/x-www-form-urlencoded'
  },
  body: new URLSearchParams({
    grant_type: 'password',
    username: demo.email,
    password: demo.password
  }).toString()
}

/** Starts `serve` with two workers and demo data; returns it with the process ids of its workers. */
export async function serveByTwo(t: Test, env: Record<string, string>) {
  const service = await serve(t, ['--demo'], {
    WORKERS: '2',
    PASSWORD_MEMORY: '7168',
    LOG_LEVEL: 'debug',
    ...env
  })
  const first = await listeningWorker(service)
  const second = await listeningWorker(service, [first])
  return { ...service, workers: [first, second] as const }
}

/** Resolves with the process id of a worker that listens, other than the known ones. */
export async function listeningWorker(
  { line }: Pick<Running, 'line'>,
  known: readonly number[] = []
): Promise<number> {
  const other = known.map(pid => `(?!${pid}\\b)`).join('')
  const found = await line('stdout', new RegExp(`"pid":${other}\\d+,.*"msg":"Server listening at `))
  return JSON.parse(found).pid
}

/** The lines of a whole log. */
export const readLog = (stdout: string): LogLine[] =>
  stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

/** The processes that wrote a line with this message, in ascending order. */
export const whoLogged = (stdout: string, message: string): number[] => {
  const pids = readLog(stdout).filter(({ msg }) => msg === message)
  return [...new Set(pids.map(({ pid }) => pid))].sort((one, other) => one - other)
}

export interface Answer {
  status: number | undefined
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about to check
  body: any
}

/** Sends a request on a connection of its own, or of the agent. */
export function send(
  url: string,
  { body = '', agent, ...options }: RequestOptions & { body?: string } = {}
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: agent ?? false, ...options }, async response => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      const { statusCode: status, headers } = response
      resolve({ status, headers, body: text && JSON.parse(text) })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

/** Opens a connection to each of two workers, in their order. The system chooses a worker for each connection. */
export async function openTwo(t: Test, { url, workers, line }: Service): Promise<readonly [Agent, Agent]> {
  const agents = new Map<number, Agent>()
  while (!workers.every(pid => agents.has(pid))) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => agent.destroy())
    const id = randomUUID()
    await send(`${url}/livez`, { agent, headers: { 'x-request-id': id } })
    agents.set(JSON.parse(await line('stdout', new RegExp(`"reqId":"${id}"`))).pid, agent)
  }
  return workers.map(pid => agents.get(pid)) as [Agent, Agent]
}
