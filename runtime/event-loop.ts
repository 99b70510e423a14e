/** Maximum milliseconds of a turn, in which the waiting work together blocks the event loop. */
const maxBlockedTime = 10

/**
 * Creates a function that waits for a turn. Its callers continue in their order, and share the time of a turn. While
 * it has time left, `passes` lets a caller continue at once.
 */
function makeYield({ passes }: { passes: boolean }): () => Promise<void> {
  /** When the event loop last ran other work. */
  let turnBegan = 0
  let hasNextTurn = false
  /** Functions that continue the work that waits, the oldest first. */
  const waiting: (() => void)[] = []
  // The immediates of a turn run one after the other, each with all that it causes. New ones run in the next turn.
  const beginTurn = () => {
    turnBegan = performance.now()
    hasNextTurn = waiting.length > 0
    if (hasNextTurn) setImmediate(beginTurn)
  }
  const continueNext = () => {
    if (performance.now() - turnBegan < maxBlockedTime) waiting.shift()?.()
    else setImmediate(continueNext)
  }
  return async () => {
    if (passes && performance.now() - turnBegan < maxBlockedTime) return
    await new Promise<void>(resolve => {
      waiting.push(resolve)
      if (!hasNextTurn) setImmediate(beginTurn)
      hasNextTurn = true
      setImmediate(continueNext)
    })
  }
}

/** Waits for a turn of the event loop if it may have been blocked for a while. */
export const yieldToEventLoop = makeYield({ passes: true })

/**
 * The same for streams of changes, with turns of their own: other work must not wait for so many. A change wakes them
 * together, so all would see that the turn has time left before the first of them uses it.
 */
export const yieldStreamToEventLoop = makeYield({ passes: false })

/** The same for the long documents of an operation, which also begin together. */
export const yieldDocumentToEventLoop = makeYield({ passes: false })
