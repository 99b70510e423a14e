/** Sockets of the tests: the client of graphql-ws, and one that sends any message. */
import { once } from 'node:events'
import { type ClientOptions, createClient } from 'graphql-ws'
import type { Test } from 'tap'
import { type ClientOptions as SocketOptions, WebSocket } from 'ws'
import type { ServiceOptions } from '../../../index.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { addTemplates, service } from '../../../test/support/service/service.ts'

export const socketUrl = (url: string): string => `${url.replace(/^http/, 'ws')}/graphql`

/** Starts a service with the feature and one template. */
export async function start(t: Test, options: ServiceOptions & { prefix?: string } = {}) {
  const { app, db, url } = await service(t, { graphqlWebsocket: true, ...options })
  await addTemplates(db, { id: 1, name: 'first' })
  return { app, db, url, token: await accessToken(url) }
}

/** Creates a client that does not retry. Its token is in the first message. */
export function createSubscriber(
  t: Test,
  url: string,
  token: string | undefined,
  options: Partial<ClientOptions> = {}
) {
  const client = createClient({
    url: socketUrl(url),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(token !== undefined && { connectionParams: { Authorization: `Bearer ${token}` } }),
    ...options
  })
  t.teardown(() => client.dispose())
  return client
}

type Message = { type: string; id?: string; payload?: unknown }

/** Opens a socket. Messages are objects, or the text to send. */
export async function openSocket(
  t: Test,
  url: string,
  { protocol = 'graphql-transport-ws', ...options }: SocketOptions & { protocol?: string } = {}
) {
  const socket = new WebSocket(socketUrl(url), protocol === '' ? [] : protocol, options)
  t.teardown(() => socket.terminate())
  const received: Message[] = []
  const waiting = new Set<() => void>()
  socket.on('message', data => {
    received.push(JSON.parse(String(data)))
    for (const look of waiting) look()
  })
  const closed = new Promise<{ code: number; reason: string }>(resolve =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
  )
  await once(socket, 'open')
  // `close` follows.
  socket.on('error', () => {})
  const send = (message: object | string | Buffer) =>
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
  /** Takes the oldest message that came. */
  const next = async (): Promise<Message> => {
    while (received.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      await Promise.race([
        promise,
        closed.then(end => Promise.reject(new Error(`closed: ${JSON.stringify(end)}`)))
      ])
      waiting.delete(resolve)
    }
    return received.shift() as Message
  }
  const initialize = async (token?: string) => {
    send({
      type: 'connection_init',
      ...(token !== undefined && { payload: { Authorization: `Bearer ${token}` } })
    })
    return next()
  }
  const subscribe = (id: string, query: string, more: object = {}) =>
    send({ id, type: 'subscribe', payload: { query, ...more } })
  return { socket, send, next, initialize, subscribe, closed, received }
}

/** Asks for a WebSocket with headers of its own. Resolves to the status of the response. */
export async function statusOf(url: string, headers: Record<string, string>, path = ''): Promise<number> {
  const socket = new WebSocket(`${socketUrl(url)}${path}`, 'graphql-transport-ws', { headers })
  socket.on('error', () => {})
  const status = await Promise.race([
    once(socket, 'unexpected-response').then(([, response]) => response.statusCode as number),
    once(socket, 'open').then(() => 101)
  ])
  socket.terminate()
  return status
}
