/** How an operation that lists templates reads them. */
export interface ReadMode {
  usesReplica: boolean
  /** Whether its statements may take long, and must not block the event loop. */
  isLong: boolean
}

/** The operation has to be executed again, because it reads for too long, or because a replica failed. */
export class ExecuteAgain extends Error {
  readonly mode: ReadMode

  constructor(mode: ReadMode) {
    super('the operation is executed again')
    this.mode = mode
  }
}
