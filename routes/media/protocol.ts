import fp from 'fastify-plugin'
import { StartError } from '../../errors.ts'
import { importSharp } from '../../media/picture.ts'
import { maxPictureBytes } from '../../media/sources.ts'
import type { ServiceSettings } from '../../options.ts'
import '../health.ts'
import { pendingResponses } from '../responses/pending-responses.ts'
import { Pictures } from './pictures.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productPictures: Pictures
  }
}

/** Accepts only pictures as bodies. A web page of another origin needs a preflight request to send such a body. */
export const mediaProtocol = fp<ServiceSettings>(
  async (app, settings) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      /^image\//,
      { parseAs: 'buffer', bodyLimit: maxPictureBytes },
      (_request, body, done) => done(null, body)
    )
    await app.register(pendingResponses, settings)
    if (settings.imageSources && !(await importSharp()))
      throw new StartError('PTS_BAD_OPTION', 'IMAGE_SOURCES needs the package sharp: npm install sharp')
    const pictures = new Pictures(app.productStore, settings, app.log)
    app.decorate('productPictures', pictures)
    // The command ends its connections before it closes the server.
    app.productDrain?.closing.addEventListener('abort', () => pictures.close())
    app.addHook('preClose', async () => pictures.close())
  },
  { name: 'product-media-protocol', fastify: '5.x' }
)
