import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'

export interface BenchRequest {
  url: string
  headers: Record<string, string>
  body: string
}

/** Sends a request. Returns the transferred size of the body and its text. Throws unless the status is 200. */
export async function sendRequest({
  url,
  headers,
  body
}: BenchRequest): Promise<{ bytes: number; text: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'POST', headers }, resolve).on('error', reject).end(body)
  })
  const bytes = await buffer(response)
  const text = response.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(bytes) : bytes
  if (response.statusCode !== 200) throw new Error(`${url} answers ${response.statusCode}: ${text}`)
  return { bytes: bytes.length, text: text.toString() }
}
