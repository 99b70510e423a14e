import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** A network between the service and a server, which can break connections or drop data. */
export interface Proxy {
  port: number
  /** Closes all connections at once. */
  cut(): void
  /** Closes all connections when one of them sends data, until {@link Proxy.open}. */
  cutAtWords(): void
  /** Silently drops all data until {@link Proxy.open}. */
  swallow(): void
  /** Leaves new connections without any answer until {@link Proxy.open}. */
  keepWaiting(): void
  /** Passes each answer of the server after this time, in milliseconds. */
  delay(milliseconds: number): void
  open(): void
  /** Closes all connections. New ones go to another port. */
  lead(port: number): void
}

export async function proxy(t: Test, port: number): Promise<Proxy> {
  let target = port
  const sockets = new Set<Socket>()
  let onWord: 'pass' | 'cut' | 'swallow' = 'pass'
  let isLate = false
  let pause = 0
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer(client => {
    if (isLate) {
      sockets.add(client)
      client.on('error', () => {})
      return
    }
    const upstream = connect(target, '127.0.0.1')
    const join = (from: Socket, to: Socket) => {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', chunk => {
        if (onWord === 'cut') cut()
        else if (onWord === 'pass' && pause > 0 && from === upstream) setTimeout(() => to.write(chunk), pause)
        else if (onWord === 'pass') to.write(chunk)
      })
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    join(client, upstream)
    join(upstream, client)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as { port: number }).port,
    cut: () => {
      onWord = 'pass'
      cut()
    },
    cutAtWords: () => {
      onWord = 'cut'
    },
    swallow: () => {
      onWord = 'swallow'
    },
    keepWaiting: () => {
      isLate = true
    },
    delay: milliseconds => {
      pause = milliseconds
    },
    open: () => {
      onWord = 'pass'
      isLate = false
    },
    lead: port => {
      target = port
      cut()
    }
  }
}
