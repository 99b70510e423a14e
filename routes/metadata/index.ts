import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Semaphore } from '../../db/dialects/semaphore.ts'
import { metadataFormats, writeMetadata } from '../../db/templates/metadata/write.ts'
import { noPublicTemplate } from '../../errors.ts'
import { allowAnyOrigin } from '../cross-origin.ts'
import { computeETag, isKnown } from '../etag.ts'
import { sendBody } from '../responses/send.ts'
import type { Route } from '../route.ts'
import { findPublicTemplate, parseId } from './find.ts'

const contentType = 'application/json; charset=utf-8'
/** Caches revalidate before each use: a template may be changed, deleted or made private, with all its revisions. */
const cacheControl = 'public, no-cache'

/** Requests whose documents are in memory at the same time; others wait. */
const maxAtOnce = 8

const Query = Type.Object({
  format: Type.Optional(Type.Enum(metadataFormats, { description: metadataFormats.join(' or ') })),
  revision: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,9}$', description: 'an integer from 1' })),
  hash: Type.Optional(
    Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: '`sha256:` and 64 hexadecimal digits' })
  )
})

type Request = FastifyRequest<{ Params: { id: string }; Querystring: Static<typeof Query> }>

/** Metadata of a public template, or of a revision that `revision` or `hash` pins. */
export const metadata: Route = (app, { ipfsGateway }) => {
  const places = new Semaphore(maxAtOnce)
  return {
    onRequest: [allowAnyOrigin, async (_request, reply) => void reply.header('Cache-Control', cacheControl)],
    schema: { querystring: Query },
    handler: async (request, reply) => {
      const { params, query } = request as Request
      const wanted = { id: parseId(params.id), ...parsePin(query) }
      const signal = abortWhenGone(reply)
      const pending = app.productPendingResponses.open(reply.raw)
      const leave = await places.take(signal)
      try {
        const template = await findPublicTemplate(app.productStore, wanted)
        const bytes = Buffer.from(writeMetadata(template, { format: query.format, ipfsGateway }))
        pending.add(bytes.length)
        const body = [bytes]
        const etag = await computeETag(contentType, body)
        reply.header('ETag', etag)
        if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
        sendBody(reply.type(contentType), body, pending)
        return reply
      } finally {
        leave()
      }
    }
  }
}

const parsePin = ({ revision, hash }: Static<typeof Query>) => ({
  revision: revision === undefined ? undefined : Number(revision),
  hash: hash?.replace('sha256:', '')
})

/** Aborts when the client has gone. */
function abortWhenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const abort = () => gone.abort(noPublicTemplate('the client has gone'))
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return gone.signal
}
