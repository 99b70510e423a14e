import fp from 'fastify-plugin'
import { maxPictureSize } from '../../media/sources.ts'
import type { ServiceSettings } from '../../options.ts'
import '../readiness.ts'
import { pendingResponses } from '../responses/pending-responses.ts'
import { Pictures } from './pictures.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productPictures: Pictures
  }
}

/** Accepts only pictures as bodies: a web page needs a preflight request to send one cross-origin. */
export const mediaProtocol = fp<ServiceSettings>(
  async (app, settings) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      /^image\//,
      { parseAs: 'buffer', bodyLimit: maxPictureSize },
      (_request, body, done) => done(null, body)
    )
    await app.register(pendingResponses, settings)
    const pictures = await Pictures.open(app.productStore, settings, app.log)
    app.decorate('productPictures', pictures)
    // The process ends its connections before it closes the server.
    app.productDrain?.closing.addEventListener('abort', () => pictures.close())
    app.addHook('preClose', async () => pictures.close())
  },
  { name: 'product-media-protocol', fastify: '5.x' }
)
