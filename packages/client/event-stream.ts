/** A block of Server-Sent Events; `data` is undefined if it only has an id or a time to retry. */
export interface ServerSentEvent {
  id?: string
  event?: string
  data?: string
  /** Milliseconds. */
  retry?: number
}

/** Parses a stream, HTML Standard §9.2.6. Half of a block at the end is dropped. Comments are empty blocks. */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    // A carriage return at the end may be the first half of a line end.
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
