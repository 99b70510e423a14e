import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { notFound } from '../../errors.ts'
import { locate } from '../../files/locate.ts'
import { chooseAmong } from '../responses/negotiation.ts'
import { sendShared } from '../responses/send.ts'
import type { Route } from '../route.ts'

/** The built explorer: beside the compiled code, or in the cache of the build if the sources run. */
const folders = ['explorer/', 'node_modules/.cache/product-templates/explorer/'].map(path =>
  fileURLToPath(locate(path))
)

/** Finds a file of the latest build. */
export const findBuilt = (name: string): string | undefined =>
  folders.map(folder => `${folder}${name}.br`).find(path => existsSync(path))

/** The coding in which a client gets a file. */
const acceptedCoding = chooseAmong(['br', 'gzip'])
type Coding = ReturnType<typeof acceptedCoding>

const decompress = promisify(brotliDecompress)
const compress = promisify(gzip)

/**
 * Reads a file, in a content coding if there is one; undefined if there is none, or if the explorer has not been built. The build keeps
 * brotli only, which browsers accept from `https` and from loopback addresses; others ask for gzip.
 */
export async function readBuilt(name: string, coding?: Coding): Promise<Buffer | undefined> {
  const path = findBuilt(name)
  const packed = path && (await readFile(path))
  if (!packed || coding === 'br') return packed || undefined
  const plain = await decompress(packed)
  return coding === 'gzip' ? compress(plain) : plain
}

const mediaTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff2: 'font/woff2'
}

/** A file of the explorer. Its name has a hash of its contents, so that it never changes. */
export const file: Route = app => {
  // Each file is made once in each coding and kept, 12 MB at most: all responses share it.
  const files = new Map<string, Promise<Buffer | undefined>>()
  const read = (name: string, coding: Coding) => {
    const key = `${name} ${coding}`
    const made = files.get(key) ?? readBuilt(name, coding)
    files.set(key, made)
    const forget = () => files.delete(key)
    made.then(body => body ?? forget(), forget)
    return made
  }
  return {
    handler: async (request, reply) => {
      const { name } = (request as FastifyRequest<{ Params: { name: string } }>).params
      const [, ending = 'html'] = /^[\w.-]+\.(\w+)$/.exec(name) ?? []
      const coding = acceptedCoding(request.headers['accept-encoding']?.toString() ?? '')
      const body = ending === 'html' ? undefined : await read(name, coding)
      if (!body) throw notFound()
      app.productPendingResponses.checkShared(body)
      reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
      if (coding) reply.header('Content-Encoding', coding)
      sendShared(reply.type(mediaTypes[ending] ?? 'application/octet-stream'), body)
      return reply
    }
  }
}
