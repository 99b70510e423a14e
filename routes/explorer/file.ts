import type { FastifyRequest } from 'fastify'
import { notFound } from '../../errors.ts'
import { sendInPieces } from '../responses/send.ts'
import { parseWeighted } from '../responses/weights.ts'
import type { Route } from '../route.ts'
import { BuiltFiles, type FileCoding } from './built-files.ts'

const mediaTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff2: 'font/woff2'
}

/** A file of the explorer. Its name has a hash of its contents, so that it never changes. */
export const file: Route = app => {
  const files = new BuiltFiles()
  return {
    handler: async (request, reply) => {
      const { name } = (request as FastifyRequest<{ Params: { name: string } }>).params
      const [, ending = ''] = /\.(\w+)$/.exec(name) ?? []
      if (!files.names.has(name) || ending === 'html') throw notFound()
      const coding = codingFor(request)
      const body = await files.read(name, coding)
      app.productPendingResponses.checkShared(body)
      reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
      if (coding !== 'identity') reply.header('Content-Encoding', coding)
      reply.type(mediaTypes[ending] ?? 'application/octet-stream')
      return sendInPieces(reply, body, app.productPendingResponses)
    }
  }
}

/** Returns the coding in which a file is sent: the smallest that the client accepts, RFC 9110 §12.5.3. */
function codingFor({ headers }: FastifyRequest): FileCoding {
  const members = parseWeighted(headers['accept-encoding']?.toString() ?? '')
  const accepts = (coding: string) =>
    (members.find(({ name }) => name === coding) ?? members.find(({ name }) => name === '*'))?.weight
  return (['br', 'gzip'] as const).find(coding => (accepts(coding) ?? 0) > 0) ?? 'identity'
}
