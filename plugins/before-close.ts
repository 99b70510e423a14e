import type { FastifyInstance } from 'fastify'

/**
 * Calls `close` when the service begins to end. Use it for what would delay the end: endless responses, and requests to
 * other servers.
 */
export function beforeClose(app: FastifyInstance, close: () => unknown): void {
  // The command ends its connections before it closes the server.
  app.productDrain?.closing.addEventListener('abort', () => void close())
  app.addHook('preClose', async () => void (await close()))
}
