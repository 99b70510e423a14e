/** A network between the client and the service: it counts requests, refuses some and loses responses. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** What happens to a request instead of being answered by the service. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** The connection breaks before the service sees the request, after it has, or in the middle of its response. */
  | 'unsent'
  | 'lost'
  | 'half'
  /** Nothing ever comes back. */
  | 'silent'

export interface Network {
  url: string
  /** Where requests go now; undefined if there is nobody. */
  target: string | undefined
  /** `POST /graphql` and so on, in the order of their arrival. */
  requests: string[]
  /** Headers and body of the requests. */
  sent: { headers: IncomingMessage['headers']; body: string }[]
  /** The next requests for this path meet these, one each. */
  fail(path: string, ...faults: Fault[]): void
  /** Ends all connections. */
  cut(): void
}

export async function network(t: Test, target?: string): Promise<Network> {
  const faults = new Map<string, Fault[]>()
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url?.split('?')[0] ?? ''
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    it.requests.push(`${incoming.method} ${path}`)
    it.sent.push({ headers: incoming.headers, body })
    const fault = faults.get(path)?.shift()
    if (typeof fault === 'object') outgoing.writeHead(fault.status, fault.headers).end(fault.body)
    else if (fault === 'unsent' || it.target === undefined) outgoing.destroy()
    else if (fault !== 'silent') forward(it.target, { incoming, outgoing, body, fault })
  })
  const it: Network = {
    url: '',
    target,
    requests: [],
    sent: [],
    fail: (path, ...more) => void faults.set(path, [...(faults.get(path) ?? []), ...more]),
    cut: () => server.closeAllConnections()
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  it.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return it
}

interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
  body: string
  fault: Fault | undefined
}

function forward(target: string, { incoming, outgoing, body, fault }: Exchange): void {
  const { host, connection: _connection, ...headers } = incoming.headers
  const { method } = incoming
  const upstream = request(target + incoming.url, { method, headers, agent: false }, response => {
    // Nobody hears how the stream of a stopped service ends.
    response.on('error', () => outgoing.destroy())
    if (fault === 'lost') return void response.resume().once('end', () => outgoing.destroy())
    outgoing.writeHead(response.statusCode ?? 0, response.headers)
    if (fault !== 'half') return void response.pipe(outgoing)
    response.once('data', (chunk: Buffer) => {
      outgoing.write(chunk.subarray(0, chunk.length / 2), () => outgoing.destroy())
    })
  })
  upstream.on('error', () => outgoing.destroy())
  outgoing.once('close', () => upstream.destroy())
  upstream.end(body)
}
