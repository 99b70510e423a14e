/** A client of Server-Sent Events that returns every block as it was sent. */

/** A block of a stream: an event, or only a comment, an id or a retry time. */
export interface Block {
  id?: string
  event?: string
  data?: { id: number; revision: number; hash: string | null; time: string }
  retry?: string
  comment?: string
}

interface EventStream {
  response: Response
  /** Resolves with the next block, or with undefined at the end. */
  next(): Promise<Block | undefined>
  /** Resolves with the next events. Skips comments and other blocks. */
  events(count: number): Promise<Block[]>
  /** Reads the stream to its end. */
  rest(): Promise<Block[]>
  close(): Promise<void>
}

/** Opens `/changes`. Rejects unless the status is 200. */
export async function openStream(
  url: string,
  token: string,
  { after, lastEventId }: { after?: string | undefined; lastEventId?: string | undefined } = {}
): Promise<EventStream> {
  const response = await changesRequest(url, token, after, lastEventId)
  if (response.status !== 200 || !response.body)
    throw new Error(`${response.status} ${await response.text()}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async () => {
    let end = text.indexOf('\n\n')
    while (end < 0) {
      const { done, value } = await reader.read()
      if (done) return undefined
      text += value
      end = text.indexOf('\n\n')
    }
    const block = parse(text.slice(0, end))
    text = text.slice(end + 2)
    return block
  }
  const events = async (count: number) => {
    const found: Block[] = []
    while (found.length < count) {
      const block = await next()
      if (!block) throw new Error(`the stream ended after ${found.length} of ${count} events`)
      if (block.data) found.push(block)
    }
    return found
  }
  const rest = async () => {
    const found: Block[] = []
    for (let block = await next(); block; block = await next()) found.push(block)
    return found
  }
  return { response, next, events, rest, close: () => reader.cancel() }
}

/** Requests `/changes` and accepts any status. */
export function changesRequest(
  url: string,
  token: string,
  after?: string,
  lastEventId?: string,
  method = 'GET'
): Promise<Response> {
  const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId && { 'last-event-id': lastEventId }) }
  return fetch(`${url}/changes${query}`, { method, headers })
}

function parse(text: string): Block {
  const block: Record<string, unknown> = {}
  for (const line of text.split('\n')) {
    const [, name = '', value] = /^(\w*): (.*)$/.exec(line) ?? []
    if (value === undefined) throw new Error(`not a line of an event: ${line}`)
    block[name === '' ? 'comment' : name] = name === 'data' ? JSON.parse(value) : value
  }
  return block
}
