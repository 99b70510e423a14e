import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import type { Test } from 'tap'

/** Makes a picture, another one for each seed. It is noise, so that it stays large. */
export function picture(seed: number, side = 900): Promise<Buffer> {
  const bytes = Buffer.alloc(side * side * 3)
  for (let at = 0; at < bytes.length; at++) bytes[at] = (at * (seed + 7919) * 31) % 251
  return sharp(bytes, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer()
}

/** A source of pictures on a port of its own; counts the requests. */
export async function source(t: Test, respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
