const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a job that a signal stops. When the job has cleaned up and rejected, the signal ends the process. Further
 * signals have no effect meanwhile.
 */
export async function runStoppable<T>(job: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  let received: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    received ??= signal
    stopping.abort()
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    return await job(stopping.signal)
  } finally {
    for (const signal of signals) process.off(signal, stop)
    if (received) process.kill(process.pid, received)
  }
}
