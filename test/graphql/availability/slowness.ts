/** How slow the machine is, told by work that the service has no part in. */
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** Milliseconds of CPU time that the slowest round takes on a machine that does nothing else (AMD EPYC, 2025). */
const idle = 90
const rounds = 8

/** Allocates, sorts and writes as the service does, about as long as a turn of its event loop may take. */
function work(): number {
  const list = Array.from({ length: 100_000 }, (_, n) => ({
    id: (n * 7919) % 100_000,
    name: `template ${n}`
  }))
  list.sort((one, other) => one.id - other.id)
  return JSON.stringify(JSON.parse(JSON.stringify(list))).length
}

/**
 * Measures how many times the CPU time of an idle machine the slowest round takes now, at least 1. What shares the core
 * or its caches makes everything slower. So another thread works meanwhile, as the worker threads of the service do.
 */
export function measureSlowness(): number {
  const hasBegun = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(import.meta.url), { workerData: hasBegun, execArgv: [] })
  Atomics.wait(hasBegun, 0, 0)
  // What the first round compiles is no concern of the others.
  work()
  const times = Array.from({ length: rounds }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  void worker.terminate()
  return Math.max(1, Math.max(...times) / idle)
}

if (!isMainThread) {
  Atomics.store(workerData, 0, 1)
  Atomics.notify(workerData, 0)
  for (;;) work()
}
