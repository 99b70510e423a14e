import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Prints the line that reports a ready contender: its URL and, if needed, a token. */
export function announce(url: string, token = ''): void {
  console.log(JSON.stringify({ url, token }))
}

/** Listens on a free port and announces it. */
export function serveAt(server: Server, path: string): void {
  server.listen(0, '127.0.0.1', () =>
    announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  )
}
