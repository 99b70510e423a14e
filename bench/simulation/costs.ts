/** Milliseconds of one core. */
export interface Cost {
  instance: number
  primary: number
  replica: number
}

/**
 * The cost of each kind of request without its version check, which requests may share. docs/scaling.md has the
 * measurements.
 */
export const costs = {
  look: { instance: 0.17, primary: 0.0875, replica: 0 },
  cached: { instance: 0.02, primary: 0, replica: 0 },
  page: { instance: 1.05, primary: 1.1, replica: 0 },
  pageOfReplica: { instance: 1.05, primary: 0.06, replica: 1.1 },
  write: { instance: 1.05, primary: 1.05, replica: 0 }
} satisfies Record<string, Cost>

/** Milliseconds of a version check, with PostgreSQL on the same machine. */
export const lookTime = 0.42
