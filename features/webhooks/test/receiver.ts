import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { Test } from 'tap'
import { until } from '../../../test/support/until.ts'

/** A message that a receiver got. */
export interface Received {
  id: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  type: string
  data: { id: number; revision: number; hash: string | null; cursor: string }
}

/** What a receiver does: answers with a status, or as the function does. */
type Respond = (message: Received, response: ServerResponse) => number | undefined

export const ok = 204

/** A receiver of webhooks on a port of its own. It keeps what it got, and what it has accepted. */
export async function receiver(t: Test, respond: Respond = () => ok) {
  const got: Received[] = []
  const accepted: Received[] = []
  const state = { respond }
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { type, data } = JSON.parse(body)
    const message = {
      id: String(request.headers['webhook-id']),
      path: request.url ?? '',
      headers: request.headers,
      body,
      type,
      data
    }
    got.push(message)
    const status = state.respond(message, response)
    if (status === undefined) return
    if (status < 300) accepted.push(message)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    accepted,
    set respond(respond: Respond) {
      state.respond = respond
    },
    /** Resolves with the messages once it has accepted so many. */
    async takes(count: number): Promise<Received[]> {
      await until(() => accepted.length >= count)
      return accepted
    }
  }
}

/** Whether the library of the standard accepts the signature of a message. */
export function isSignedWith(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

/** What a message tells, in short. */
export const brief = ({ type, data }: Received): string => `${type} ${data.id}.${data.revision}`
