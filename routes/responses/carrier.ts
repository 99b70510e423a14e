/** What carries a response: `reply.raw`, in HTTP/1 and in HTTP/2. */
export interface Carrier {
  /** Only in HTTP/1. */
  readonly destroyed?: boolean
  /** Only in HTTP/2. */
  readonly stream?: { readonly destroyed: boolean }
  /** null while the responses to earlier requests on its connection are sent, in HTTP/1. */
  readonly socket?: unknown
  once(event: 'close' | 'socket', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** Calls `listener` when a response has been sent or its client has gone, at once if it has. Returns what stops that. */
export function whenClosed(carrier: Carrier, listener: () => void): () => void {
  const { destroyed } = carrier.stream ?? carrier
  if (destroyed) listener()
  else carrier.once('close', listener)
  return () => carrier.off('close', listener)
}

/**
 * Closes a response whose client reads nothing for `seconds`; in HTTP/1 its connection closes with it. Returns what has
 * to be called when the client has read something. Node's own timeouts do not do: they also start again when the client
 * sends something, or reads another response of an HTTP/2 connection.
 */
export function closeIfStalled(carrier: Carrier, seconds: number): () => void {
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setTimeout(() => carrier.destroy(), seconds * 1000).unref()
  }
  // The client cannot read it yet if it has sent several requests without waiting for responses.
  if (carrier.socket === null) carrier.once('socket', start)
  else start()
  whenClosed(carrier, () => clearTimeout(timer))
  return () => timer?.refresh()
}
