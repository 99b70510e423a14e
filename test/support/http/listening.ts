import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Starts a server of another product on a free port. It can stop, and start again on the same port. */
export async function listen(t: Test, onRequest?: RequestListener) {
  const server = createServer(onRequest)
  const start = async (port: number) => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await start(0)
  const stop = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  t.teardown(stop)
  return { server, url: `http://127.0.0.1:${port}`, stop, start: () => start(port) }
}
