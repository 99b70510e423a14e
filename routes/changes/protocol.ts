import fp from 'fastify-plugin'
import { forOperations } from '../../db/dialects/background.ts'
import { versionsOf } from '../../db/versions.ts'
import type { ServiceSettings } from '../../options.ts'
import '../../plugins/drain.ts'
import { ChangeFeed } from './feed.ts'
import { ChangeStreams } from './streams.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productChangeFeed: ChangeFeed
    productChangeStreams: ChangeStreams
  }
}

/** The feed and the streams of a process. Streams end before the server closes, which would wait for them. */
export const changesProtocol = fp<ServiceSettings>(
  async (app, { changesMaxStreams: maxStreams, changesStreamsPerToken: maxStreamsPerToken }) => {
    const feed = new ChangeFeed({
      db: forOperations(app.productStore),
      versions: versionsOf(app.productStore),
      report: err => app.log.error({ err }, 'reading changes failed, trying again')
    })
    const streams = new ChangeStreams({ maxStreams, maxStreamsPerToken })
    app.productOnScrape(() => ({ change_streams: streams.size }))
    app.decorate('productChangeFeed', feed)
    app.decorate('productChangeStreams', streams)
    // The process ends its connections before it closes the server.
    app.productDrain?.closing.addEventListener('abort', () => void streams.close())
    app.addHook('preClose', () => streams.close())
    app.addHook('onClose', () => feed.close())
  },
  { name: 'product-changes-protocol', fastify: '5.x' }
)
