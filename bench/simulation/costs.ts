/** Milliseconds of one core. */
export interface Cost {
  instance: number
  primary: number
  replica: number
}

/** What each request costs besides its look at the version, which it may share; docs/scaling.md has what was measured. */
export const costs = {
  look: { instance: 0.17, primary: 0.0875, replica: 0 },
  kept: { instance: 0.02, primary: 0, replica: 0 },
  page: { instance: 1.05, primary: 1.1, replica: 0 },
  pageOfReplica: { instance: 1.05, primary: 0.06, replica: 1.1 },
  write: { instance: 1.05, primary: 1.05, replica: 0 }
} satisfies Record<string, Cost>

/** Milliseconds from the beginning of a look to its answer, with PostgreSQL on the same machine. */
export const lookTime = 0.42
