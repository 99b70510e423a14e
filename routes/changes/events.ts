/** Events as in the HTML Standard, §9.2 "Server-sent events". */
import { isUnavailable } from '../../db/dialects/faults.ts'
import type { Change } from '../../db/templates/revisions/changes.ts'
import { formatHash } from '../../db/templates/table/document-hash.ts'
import { toChangeCursor } from '../../graphql/input/paging.ts'
import type { ChangeFeed } from './feed.ts'
import type { TokenWatch } from './token-watch.ts'

/** Changes that a stream reads at a time. */
const changesAtOnce = 100
/** Milliseconds before a client reconnects, and before a stream reads again after a failure. */
const reconnectTime = 1000
const retryTime = 1000

export interface StreamSource {
  feed: ChangeFeed
  /** The stream begins after it. */
  position: number
  token: TokenWatch
  /** Tells the stream to end. */
  signal: AbortSignal
}

/** Makes the text of a stream, each part when it is asked for, so that nothing waits in memory for a slow client. */
export async function* streamEvents({ feed, position, token, signal }: StreamSource): AsyncGenerator<string> {
  // Without data it is no event, but a client that reconnects before the first event goes on from here.
  yield `retry: ${reconnectTime}\nid: ${toChangeCursor(position)}\n\n`
  let last = position
  while (!signal.aborted) {
    const { version } = feed
    if (!(await token.isValid(version))) {
      yield ': the access token is not valid any more\n\n'
      return
    }
    const changes = await feed.read(last, changesAtOnce, signal).catch(untilAvailable)
    if (changes === undefined)
      await feed.wait({ position: Number.POSITIVE_INFINITY, version }, retryTime, signal)
    else if (changes.length > 0) {
      yield changes.map(formatEvent).join('')
      last = changes.at(-1)?.position ?? last
      continue
    } else if (await feed.wait({ position: last, version }, token.timeToHeartbeat(), signal)) continue
    yield ': heartbeat\n\n'
  }
  yield ': the service is shutting down\n\n'
}

/** The stream goes on when the database is back, if it has not ended. */
function untilAvailable(error: unknown): undefined {
  if (!isUnavailable(error) && (error as Error).name !== 'AbortError') throw error
}

function formatEvent({ position, action, id, revision, hash, time }: Change): string {
  const data = JSON.stringify({ id, revision, hash: hash && formatHash(hash), time })
  return `id: ${toChangeCursor(position)}\nevent: ${action.toLowerCase()}\ndata: ${data}\n\n`
}

/** Calls `cut` if the reader of the parts does not ask for the next one in time. */
export async function* cutIfStalled(parts: AsyncGenerator<string>, seconds: number, cut: () => void) {
  for await (const part of parts) {
    const timer = setTimeout(cut, seconds * 1000)
    try {
      yield part
    } finally {
      clearTimeout(timer)
    }
  }
}
