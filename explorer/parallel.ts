/**
 * Runs a job for each item, at most `atOnce` at the same time. After a failure, no other job begins. It rejects with a
 * failure when those that run have ended.
 */
export async function runParallel<Item>(
  items: Iterable<Item>,
  atOnce: number,
  run: (item: Item) => Promise<void>
): Promise<void> {
  // A loop that ends early closes the generator for the others.
  const rest = (function* () {
    yield* items
  })()
  const work = async () => {
    for (const item of rest) await run(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
