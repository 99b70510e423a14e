import type { FastifyRequest } from 'fastify'
import { notFound } from '../../errors.ts'
import { sendInPieces } from '../responses/send.ts'
import type { Route } from '../route.ts'
import { BuiltFiles, mediaTypeOf } from './built-files.ts'
import { codingFor } from './coding.ts'

/** A file of the explorer. Its name has a hash of its contents, so that it never changes. */
export const file: Route = app => {
  const files = new BuiltFiles()
  return {
    handler: async (request, reply) => {
      const { name } = (request as FastifyRequest<{ Params: { name: string } }>).params
      if (!files.has(name) || name.endsWith('.html')) throw notFound()
      const coding = codingFor(request)
      const body = await files.read(name, coding)
      app.productPendingResponses.checkShared(body)
      reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' })
      if (coding !== 'identity') reply.header('Content-Encoding', coding)
      return sendInPieces(reply.type(mediaTypeOf(name)), body, app.productPendingResponses)
    }
  }
}
