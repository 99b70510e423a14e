import { type ChangeEvent, ResponseError } from '../packages/client/index.ts'
import { client, isOutage } from './api.ts'

type Watcher = (change: ChangeEvent) => void
const watchers = new Set<Watcher>()
let isFollowing = false

/** Calls the watcher for each change until the returned function is called. All watchers share one stream. */
export function watchChanges(watcher: Watcher): () => void {
  watchers.add(watcher)
  if (!isFollowing) {
    isFollowing = true
    followChanges()
  }
  return () => {
    watchers.delete(watcher)
  }
}

/** Milliseconds before a closed stream is reopened. */
const reconnectDelay = 2000

async function followChanges(): Promise<void> {
  let after: string | undefined
  for (;;) {
    try {
      for await (const change of client.changes(after === undefined ? {} : { after })) {
        after = change.cursor
        for (const watcher of watchers) watcher(change)
      }
    } catch (error) {
      // The cursor may be of another database, such as one from before a backup was restored.
      if (error instanceof ResponseError && error.status === 400 && after !== undefined) after = undefined
      // Without a login or a right, no retry helps. Other requests show the problem to the user.
      else if (!isOutage(error)) break
    }
    await new Promise(resolve => setTimeout(resolve, reconnectDelay))
  }
  isFollowing = false
}
