import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import { guardedLookup, mayConnect } from './networks.ts'

interface OutgoingRequest {
  method?: 'GET' | 'POST'
  headers: OutgoingHttpHeaders
  body?: string
  /** Networks that are allowed although they are not public. */
  allowed: BlockList
  /** Ends the request and the response. */
  signal: AbortSignal
}

/**
 * Sends a request to an address that is public or allowed, and returns the response, whatever its status. The caller reads
 * its body, or destroys it.
 */
export function sendRequest(
  url: URL,
  { body, allowed, ...given }: OutgoingRequest
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // When it is needed; an `import` of HTTP would load `fetch`, as in cli/serve/node-http.ts.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve, reject) => {
    // An address is not looked up.
    if (isIP(host) && !mayConnect(host, allowed)) throw new Error('the address is not public')
    request(url, { ...given, lookup: guardedLookup(allowed), agent: false }, resolve)
      .on('error', reject)
      // After 101, which nobody asked for, there is neither a response nor an error.
      .on('close', () => reject(new Error('the other side does not answer in HTTP')))
      .end(body)
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
