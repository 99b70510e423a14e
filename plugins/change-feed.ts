import fp from 'fastify-plugin'
import { ChangeFeed } from '../db/templates/changes/feed.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productChangeFeed: ChangeFeed
  }
}

/** Provides the feed of changes, which the streams and features read. */
export const changeFeed = fp(
  async app => {
    const feed = new ChangeFeed(app.productStore, err =>
      app.log.error({ err }, 'reading changes failed, trying again')
    )
    app.decorate('productChangeFeed', feed)
    // This runs after the readers have left: their hooks are added later, and Fastify calls later hooks first.
    app.addHook('onClose', () => feed.close())
  },
  { name: 'product-change-feed', fastify: '5.x', dependencies: ['product-store'] }
)
