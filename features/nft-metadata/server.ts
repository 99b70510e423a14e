import { oneOf } from 'decoders'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../db/schema.ts'
import { findPartialTemplate, findWholeTemplate } from '../../db/templates/product-templates.ts'
import { findTemplateByHash } from '../../db/templates/revisions/hashes.ts'
import { findTemplateAt, listRevisions } from '../../db/templates/revisions/revisions.ts'
import { maxInt } from '../../domain/columns.ts'
import { hashData } from '../../domain/document.ts'
import { responseMemory, whenClosed } from '../../routes/responses/response-memory.ts'
import { computeETag, matchesETag, sendOwn } from '../../routes/responses/send.ts'
import type { Route } from '../../routes/route.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { overloaded, PublicError } from '../../runtime/errors.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { matches, optional, type Shaped } from '../../runtime/validator.ts'
import { type MetadataSource, metadataFormats, writeMetadata } from './metadata.ts'

const contentType = 'application/json; charset=utf-8'
/** Caches revalidate before each use: a template may be changed, deleted or made private, with all its revisions. */
const cacheControl = 'public, no-cache'

/** Maximum number of requests whose documents are in memory at the same time. Others wait. */
const maxConcurrentRequests = 8
/** How long a request waits for a place. If the database hangs, no place becomes free. */
const waitLimit = { milliseconds: 5000, error: () => overloaded('metadata: no place is free') }

/** The template is unknown or not public, or its id is malformed. The caller sees the same text. */
const noPublicTemplate = (detail?: string) =>
  new PublicError({ code: 'not_found', statusCode: 404, message: 'no such public template', detail })

const Query = {
  format: optional(oneOf(metadataFormats)).describe(metadataFormats.join(' or ')),
  revision: optional(matches(/^[1-9]\d{0,9}$/)).describe('an integer from 1'),
  hash: optional(matches(/^sha256:[0-9a-f]{64}$/)).describe('`sha256:` and 64 hexadecimal digits')
}

type Request = FastifyRequest<{ Params: { id: string }; Querystring: Shaped<typeof Query> }>

/** Sends the metadata of a public template, or of the revision that `revision` or `hash` selects. */
const metadata: Route = (app, { ipfsGateway }) => {
  const places = new Semaphore(maxConcurrentRequests)
  return {
    onRequest: async (_request, reply) => void reply.header('Cache-Control', cacheControl),
    schema: { querystring: Query },
    handler: async (request, reply) => {
      const target = readMetadataRequest(request as Request)
      const pendingResponse = app.productResponseMemory.open(reply.raw)
      const leave = await takePlace(places, reply)
      try {
        const template = await findPublicTemplate(app.productStore, target)
        const body = [Buffer.from(writeMetadata(template, { format: target.format, ipfsGateway }))]
        // Not shared with other responses, so a client that reads slowly must release its memory.
        pendingResponse.add(body[0]?.length ?? 0)
        const etag = await computeETag(contentType, body)
        reply.header('ETag', etag)
        if (matchesETag(etag, request.headers['if-none-match'])) return reply.code(304).send()
        sendOwn(reply, body, { 'Content-Type': contentType }, pendingResponse)
        return reply
      } finally {
        leave()
      }
    }
  }
}

/** Reads which template or revision is wanted, and its format. The id is undefined if it is malformed. */
const readMetadataRequest = ({ params, query: { revision, hash, format } }: Request) => ({
  id: parseId(params.id),
  revision: revision === undefined ? undefined : Number(revision),
  hash: hash?.replace('sha256:', ''),
  format
})

type MetadataRequest = ReturnType<typeof readMetadataRequest>

/** Takes a place, and resolves with its release function. Rejects if the client leaves or no place is free. */
function takePlace(places: Semaphore, { raw }: FastifyReply): Promise<() => void> {
  const gone = new AbortController()
  const ignoreClient = whenClosed(raw, () => gone.abort(noPublicTemplate('the client has gone')))
  return places.take(gone.signal, waitLimit).finally(ignoreClient)
}

/** Reads an id: a decimal number, or the 64 hexadecimal digits by which EIP-1155 clients replace `{id}`. */
function parseId(text: string): number | undefined {
  const isHex = /^[0-9a-f]{64}$/.test(text)
  if (!isHex && !/^(0|[1-9]\d{0,9})$/.test(text)) return undefined
  const id = isHex ? Number.parseInt(text, 16) : Number(text)
  return id <= maxInt ? id : undefined
}

/**
 * Finds a public template with its whole document, or a pinned revision of it. The template must have been public in
 * that revision, and must be public now or have been public when it was deleted. All others get the same 404.
 */
async function findPublicTemplate(db: Db, target: MetadataRequest): Promise<MetadataSource> {
  const { id, revision, hash } = target
  if (id === undefined) throw noPublicTemplate()
  const isPinned = revision !== undefined || hash !== undefined
  const found = await (isPinned ? findPinned(db, id, target) : findWholeTemplate(db, id))
  if (!found?.publicProduct) throw noPublicTemplate()
  // The hash covers only the document, so the name of the template is left out.
  return isPinned && revision === undefined ? { data: found.data } : found
}

const onlyPublic = new Set(['publicProduct'] as const)

/** Finds a revision by its number, by its hash or by both, because several revisions may have the same hash. */
async function findPinned(db: Db, id: number, { revision, hash }: MetadataRequest) {
  const last = (await findPartialTemplate(db, id, onlyPublic)) ?? (await findLastRevision(db, id))
  if (!last?.publicProduct) return undefined
  if (revision === undefined) return findTemplateByHash(db, hash as string, { publicOf: id })
  const pinned = revision <= maxInt ? await findTemplateAt(db, id, revision) : undefined
  return pinned && (hash === undefined || hashData(pinned.data) === hash) ? pinned : undefined
}

/** Finds the revision before the deletion of a template. */
async function findLastRevision(db: Db, id: number) {
  const [deletion] = await listRevisions(db, id, 1)
  return deletion && findTemplateAt(db, id, deletion.number - 1)
}

export const server: ServerAddition = {
  endpoints: {
    '/metadata/:id.json': {
      kind: { auth: 'none', plugin: responseMemory, crossOrigin: 'any' },
      GET: {
        route: metadata,
        summary: 'metadata of a public template for wallets and marketplaces (EIP-721, EIP-1155)'
      }
    }
  }
}
