/** A block of Server-Sent Events. `data` is undefined if the block has only an id or a retry time. */
export interface ServerSentEvent {
  id?: string
  event?: string
  data?: string
  /** Milliseconds. */
  retry?: number
}

/** Parses a stream (HTML Standard §9.2.6). An incomplete block at the end is dropped. A comment is an empty block. */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    // A final carriage return may be the first half of a line end.
    const blocks = text.split(/(?:\r\n|\n|\r(?!\n|$)){2}/)
    text = blocks.pop() ?? ''
    for (const block of blocks) yield parseBlock(block)
  }
}

function parseBlock(block: string): ServerSentEvent {
  const event: ServerSentEvent = {}
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
    else if (name === 'id' || name === 'event') event[name] = value
    else if (name === 'retry') event.retry = Number(value)
  }
  return event
}
