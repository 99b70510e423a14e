import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a contender prints when it is ready: where it serves, and a token if it asks for one. */
export function announce(url: string, token = ''): void {
  console.log(JSON.stringify({ url, token }))
}

/** Listens on a free port and announces it. */
export function serveAt(server: Server, path: string): void {
  server.listen(0, '127.0.0.1', () =>
    announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  )
}
