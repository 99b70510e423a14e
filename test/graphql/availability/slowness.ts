/** How slow the machine is, told by work that the service has no part in. */

/** Milliseconds of CPU time that the slowest round takes on an idle machine (AMD EPYC, 2025). */
const idle = 75
const rounds = 5

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
 * or its caches makes everything slower, for moments only.
 */
export function measureSlowness(): number {
  // What the first round compiles is no concern of the others.
  work()
  const times = Array.from({ length: rounds }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.max(1, Math.max(...times) / idle)
}
