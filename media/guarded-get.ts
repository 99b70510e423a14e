import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { guardedLookup, mayConnect } from './networks.ts'

interface GetOptions {
  /** The value of Accept. */
  accept: string
  signal: AbortSignal
  /** Networks that may be connected to although they are not public. */
  allowed: BlockList
}

/** Requests what others have at a URL that somebody else has chosen. Follows no redirect. Rejects if its host is not public. */
export function guardedGet(url: URL, { accept, signal, allowed }: GetOptions): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    // An address is not looked up.
    if (isIP(host) && !mayConnect(host, allowed)) throw new Error('the address is not public')
    // When it is needed; an `import` of HTTP would load `fetch`, as in cli/serve/server/node-http.ts.
    const { get } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
    const headers = { Accept: accept, 'Accept-Encoding': 'identity' }
    get(url, { lookup: guardedLookup(allowed), agent: false, signal, headers }, resolve)
      .on('error', reject)
      // After 101, which nobody asked for, there is neither a response nor an error.
      .on('close', () => reject(new Error('the source does not answer in HTTP')))
  })
}

/** Reads a body. Rejects if it has more bytes. */
export async function readAll(response: IncomingMessage, maxSize: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxSize) throw new Error(`the source has more than ${maxSize} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
