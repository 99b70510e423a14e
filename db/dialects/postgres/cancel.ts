import { connect } from 'node:net'
import type pg from 'pg'

/** The number of a CancelRequest among the first messages of a connection: PostgreSQL, "Message Formats". */
const cancelRequestCode = 80_877_102
/** Milliseconds to wait for the server to take the request. */
const maxWait = 1000

/** What pg knows of a connection beyond its types. */
interface BackendKey {
  host: string
  port: number
  processID: unknown
  secretKey: unknown
}

/**
 * Asks the server to end the statement that runs on a connection; resolves when it was asked, or cannot be. Not by
 * pg_cancel_backend(): a pooler makes up process ids, but passes on the request of the protocol. The request goes
 * unencrypted, as libpq's did for decades: the caller closes the connection that its key is for.
 */
export async function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as BackendKey
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  for (const [index, number] of [request.length, cancelRequestCode, processID, secretKey].entries()) {
    request.writeInt32BE(number, 4 * index)
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(maxWait, () => socket.destroy())
  // A server that cannot be asked ends the statement at its statement_timeout.
  socket.on('error', () => {})
  // It answers by closing the connection. PgBouncer forgets the request of one that is closed before.
  socket.write(request)
  socket.resume()
  await new Promise(resolve => socket.once('close', resolve))
}
