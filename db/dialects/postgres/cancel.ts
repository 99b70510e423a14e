import { connect } from 'node:net'
import type pg from 'pg'

/** Code of a CancelRequest: PostgreSQL, "Message Formats". */
const cancelRequestCode = 80_877_102
/** Milliseconds to wait for the server to accept the request. */
const maxWait = 1000

/** Properties of a pg client that its types lack. */
interface BackendKey {
  host: string
  port: number
  processID: unknown
  secretKey: unknown
}

/**
 * Requests the server to cancel the statement running on a connection; resolves once the request was sent or failed. It
 * uses the protocol instead of pg_cancel_backend(), because a pooler invents process ids but forwards the request. The
 * request is unencrypted, as libpq's was for decades; the caller closes the connection whose key it reveals.
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
  // If the server cannot be reached, statement_timeout ends the statement.
  socket.on('error', () => {})
  // The server responds by closing the connection. If we closed it first, PgBouncer would drop the request.
  socket.write(request)
  socket.resume()
  await new Promise(resolve => socket.once('close', resolve))
}
