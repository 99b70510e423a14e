/** Requests to any of several instances, whose answers go into a history. */
import { basic, graphqlRequest, tokenRequest } from '../../support/http/http.ts'
import { client, user } from '../../support/service/service.ts'
import type { Entry } from './history.ts'

/** Milliseconds after which a request counts as unanswered. */
const longestWait = 20_000

export const worker = { id: 'worker', headers: { authorization: basic('worker', client.secret) } }

export interface World {
  /** The addresses of the instances. */
  urls: string[]
  history: Entry[]
  /** How often each status was answered. */
  statuses: Record<string, number>
  random: () => number
  isOver: () => boolean
}

interface Reply {
  start: number
  end: number
  /** 0 without an answer. */
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the callers know what they have asked for
  body: any
}

/** What names a token in a history: its end. */
const label = (token: string): string => token.slice(-16)

export const pick = <T>(world: World, list: readonly T[]): T =>
  list[Math.floor(world.random() * list.length)] as T

/** Sends a request, and records its status. */
async function timed({ statuses }: World, request: () => Promise<Response>): Promise<Reply> {
  const start = performance.now()
  const { status, body } = await request().then(
    async response => ({ status: response.status, body: await response.json().catch(() => undefined) }),
    () => ({ status: 0, body: undefined })
  )
  const name = status === 200 && body?.errors ? '200 with errors' : status
  statuses[name] = (statuses[name] ?? 0) + 1
  return { start, end: performance.now(), status, body }
}

/** Runs an operation; a token that is refused goes into the history. */
export async function operate(
  world: World,
  token: string,
  query: string,
  url = pick(world, world.urls)
): Promise<Reply> {
  const signal = AbortSignal.timeout(longestWait)
  const reply = await timed(world, () => graphqlRequest(url, token, { query }, {}, signal))
  if (reply.status === 401) use(world, token, reply)
  return reply
}

/** Whether an instance accepts a token. */
export async function tryToken(world: World, token: string, url = pick(world, world.urls)): Promise<void> {
  const signal = AbortSignal.timeout(longestWait)
  const query = world.random() < 0.5 ? '{ __typename }' : '{ product(id: 0) { id } }'
  use(world, token, await timed(world, () => graphqlRequest(url, token, { query }, {}, signal)))
}

function use({ history }: World, token: string, { start, end, status }: Reply): void {
  if (status === 200 || status === 401)
    history.push({ kind: 'use', token: label(token), isAccepted: status === 200, start, end })
}

export async function revoke(world: World, token: string): Promise<boolean> {
  const request = () =>
    fetch(`${pick(world, world.urls)}/oauth/revoke`, {
      method: 'POST',
      headers: worker.headers,
      body: new URLSearchParams({ token }),
      signal: AbortSignal.timeout(longestWait)
    })
  const { start, end, status } = await timed(world, request)
  world.history.push({ kind: 'revocation', token: label(token), isAcknowledged: status === 200, start, end })
  return status === 200
}

const none = { username: undefined, password: undefined }

/** A token of the worker itself; undefined if there was none. */
export async function issue(world: World): Promise<string | undefined> {
  const form = { ...none, grant_type: 'client_credentials' }
  const { body } = await timed(world, () => tokenRequest(pick(world, world.urls), form, worker.headers))
  return body?.access_token
}

/** Logs in; resolves with the refresh token. */
export async function logIn(world: World): Promise<string | undefined> {
  const form = { username: user.email, password: user.password }
  const { body } = await timed(world, () => tokenRequest(pick(world, world.urls), form, worker.headers))
  return body?.refresh_token
}

/** Exchanges a refresh token: for the next one, `refused`, or no answer. */
export async function exchange(world: World, token: string): Promise<string | undefined> {
  const form = { ...none, grant_type: 'refresh_token', refresh_token: token }
  const request = () => tokenRequest(pick(world, world.urls), form, worker.headers)
  const { start, end, status, body } = await timed(world, request)
  if (status !== 200 && status !== 400) return undefined
  world.history.push({ kind: 'rotation', token: label(token), isAccepted: status === 200, start, end })
  return body?.refresh_token ?? 'refused'
}
