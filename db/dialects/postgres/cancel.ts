import { connect } from 'node:net'
import type pg from 'pg'

/** Code of a CancelRequest: PostgreSQL, "Message Formats". */
const cancelRequestCode = 80_877_102
/** Milliseconds. */
const cancelTimeout = 1000

/** Properties of a pg client that its types lack. */
interface BackendKey {
  host: string
  port: number
  processID: unknown
  secretKey: unknown
}

/**
 * Asks the server to cancel the running statement of a connection. Resolves when the request was sent or has failed. It uses
 * the protocol instead of pg_cancel_backend(), because a pooler invents process ids but forwards the request. The request is
 * unencrypted, as libpq's was for decades. It reveals the key of the connection, so the caller closes that.
 */
export async function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as BackendKey
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const request = Buffer.alloc(16)
  for (const [index, number] of [request.length, cancelRequestCode, processID, secretKey].entries()) {
    request.writeInt32BE(number, 4 * index)
  }
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.setTimeout(cancelTimeout, () => socket.destroy())
  // If the server cannot be reached, statement_timeout ends the statement.
  socket.on('error', () => {})
  // The server answers by closing the socket. If we closed it first, PgBouncer would drop the request.
  socket.write(request)
  socket.resume()
  await new Promise(resolve => socket.once('close', resolve))
}
