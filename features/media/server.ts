import { string } from 'decoders'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ServiceSettings } from '../../options/index.ts'
import { getToken, requireToken } from '../../plugins/authentication/bearer-auth.ts'
import { beforeClose } from '../../plugins/before-close.ts'
import { readCaller } from '../../routes/graphql/execute-request.ts'
import { responseMemory, whenClosed } from '../../routes/responses/response-memory.ts'
import { sendOwn } from '../../routes/responses/send.ts'
import type { EndpointKind, Route } from '../../routes/route.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { notFound, PublicError } from '../../runtime/errors.ts'
import { yieldToEventLoop } from '../../runtime/event-loop.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { limited, type Shaped } from '../../runtime/validator.ts'
import type { MediaSettings } from './index.ts'
import { limitPictures, Pictures } from './pictures.ts'
import { findPictureByHash } from './rows.ts'
import { gone, maxPictureBytes } from './sources.ts'
import { findPictureType, importSharp } from './thumbnail.ts'

/** A client may cache a picture by its hash for ever. Shared caches may not, because they do not check the token. */
const immutable = 'private, max-age=31536000, immutable'
const forAWhile = 'private, max-age=300'
/** A missing picture may be uploaded at any time. */
const notAtAll = 'no-store'

/** Maximum number of uploads that a process receives at the same time. */
const maxUploads = 8

const unsupportedPicture = () =>
  new PublicError({
    code: 'unsupported_media_type',
    statusCode: 415,
    message: 'the picture must be PNG, JPEG, GIF, WebP or AVIF'
  })

const notPublisher = () =>
  new PublicError({
    code: 'forbidden',
    statusCode: 403,
    message: 'only a publisher may let the service fetch pictures'
  })

const Link = { link: limited(string, 1000).describe('a link of at most 1000 characters') }

/** Why there is no picture, percent-encoded. */
const reasonHeader = 'Picture-Problem'
/** Whether the server of the picture has none either, so that nobody need ask it again soon. */
const goneHeader = 'Picture-Gone'

/**
 * Redirects to the thumbnail for a link of a template, such as `image`. The status is 204 if there is no picture
 * to show; a header says why.
 */
const mediaOfLink: Route = app => ({
  schema: { querystring: Link },
  handler: async (request, reply) => {
    const { link } = request.query as Shaped<typeof Link>
    const hash = await app.productPictures.find(link, getToken(request).jti)
    reply.header('Cache-Control', hash === undefined ? notAtAll : forAWhile)
    if (hash !== undefined) return reply.redirect(`media/${hash}`, 303)
    const reason = await app.productPictures.explain(link)
    reply.header(reasonHeader, encodeURIComponent(reason)).header(goneHeader, String(reason === gone))
    return reply.code(204).send()
  }
})

/** Sends a picture by its SHA-256. */
const mediaOfHash: Route = app => ({
  handler: async (request, reply) => {
    const { hash } = (request as FastifyRequest<{ Params: { hash: string } }>).params
    const picture = /^[0-9a-f]{64}$/.test(hash) ? await findPictureByHash(app.productStore, hash) : undefined
    if (!picture) throw notFound()
    sendOwn(reply, [picture.bytes], {
      'Content-Type': picture.type,
      'Cache-Control': immutable,
      'X-Content-Type-Options': 'nosniff'
    })
    return reply
  }
})

/** Stores a picture, and returns the content id that IPFS will use for it. */
const mediaUpload: Route = app => {
  const takePlace = limitPictures(maxUploads)
  return {
    // Before the body is read.
    onRequest: async (request, { raw }) => void whenClosed(raw, await takePlace(getToken(request).jti)),
    // The token may have ended while the body arrived.
    preHandler: requireToken(app, ['write']),
    handler: async (request, reply) => {
      const bytes = request.body as Buffer | undefined
      const type = bytes && findPictureType(bytes)
      if (!type) throw unsupportedPicture()
      // Receiving, hashing and storing a large picture block the event loop, so others have turns in between.
      await yieldToEventLoop()
      const cid = await makeContentId(bytes)
      await yieldToEventLoop()
      const hash = await app.productPictures.storeOriginal({
        key: `ipfs://${cid}`,
        type,
        bytes,
        actor: readCaller(request)
      })
      return reply
        .code(201)
        .header('Location', `media/${hash}`)
        .send({ hash, cid, type, link: app.productPictures.linkTo(cid) })
    }
  }
}

/** Loads the libraries of IPFS, which take 6 MiB, when the first content id is made. */
const makeContentId = async (bytes: Buffer): Promise<string> =>
  (await import('./ipfs.ts')).makeContentId(bytes)

/** Fetches the picture of a link and stores it. Any public host may be asked, so only publishers may. */
const mediaCopy: Route = app => ({
  schema: { querystring: Link },
  handler: async (request, reply) => {
    const { mayPublish, jti } = getToken(request)
    if (!mayPublish) throw notPublisher()
    const { link } = request.query as Shaped<typeof Link>
    const { type, bytes } = await app.productPictures.store(link, jti, readCaller(request))
    await yieldToEventLoop()
    return reply.send({ cid: await makeContentId(bytes), type })
  }
})

declare module 'fastify' {
  interface FastifyInstance {
    productPictures: Pictures
  }
}

/** Accepts only pictures as bodies. A web page of another origin needs a preflight request to send such a body. */
const mediaProtocol = fp<ServiceSettings & MediaSettings>(
  async (app, settings) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      /^image\//,
      { parseAs: 'buffer', bodyLimit: maxPictureBytes },
      (_request, body, done) => done(null, body)
    )
    await app.register(responseMemory, settings)
    if (settings.imageSources && !(await importSharp()))
      throw new StartError('PTS_BAD_OPTION', 'IMAGE_SOURCES needs the package sharp: npm install sharp')
    const pictures = new Pictures(app.productStore, settings, app.log)
    app.decorate('productPictures', pictures)
    beforeClose(app, () => pictures.close())
  },
  { name: 'product-media-protocol', fastify: '5.x' }
)

const media: EndpointKind = { auth: 'Bearer', plugin: mediaProtocol, crossOrigin: 'listed' }

export const server: ServerAddition = {
  servesPictures: (_app, { imageSources }: ServiceSettings & MediaSettings) => imageSources !== undefined,
  endpoints: {
    '/media': {
      kind: media,
      GET: {
        route: mediaOfLink,
        scopes: ['read'],
        summary: 'a thumbnail of the picture behind `link`; requires the scope `read`'
      },
      POST: { route: mediaUpload, scopes: ['write'], summary: 'store a picture; requires the scope `write`' }
    },
    '/media/copies': {
      kind: media,
      POST: {
        route: mediaCopy,
        scopes: ['write'],
        summary: 'fetch the picture behind `link` and store it; requires the right to publish'
      }
    },
    '/media/:hash': {
      kind: media,
      GET: {
        route: mediaOfHash,
        scopes: ['read'],
        summary: 'a picture by the SHA-256 of its bytes; requires the scope `read`'
      }
    }
  }
}
