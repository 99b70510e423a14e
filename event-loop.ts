/** Milliseconds that all long work together may block the event loop. */
const maxBlockedTime = 10

/** When the event loop last ran other work. */
let turnBegan = 0
/** Functions that continue the work that waits, the oldest first. */
const waiting: (() => void)[] = []

/** Waits for a turn of the event loop if it may have been blocked for a while. One waiter continues per turn. */
export async function takeTurn(): Promise<void> {
  if (performance.now() - turnBegan < maxBlockedTime) return
  await new Promise<void>(resolve => {
    if (waiting.push(resolve) === 1) setImmediate(continueNext)
  })
}

function continueNext(): void {
  turnBegan = performance.now()
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(continueNext)
}
