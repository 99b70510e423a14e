import type { FastifyInstance } from 'fastify'

/** Creates a function that returns the issuer. The port may be known only when the server listens. */
export function createIssuer(app: FastifyInstance, configured: string | undefined): () => string {
  const scheme = app.initialConfig.https ? 'https' : 'http'
  const path = app.prefix.replace(/\/$/, '')
  let known = configured
  const issuer = () => {
    if (known !== undefined) return known
    const listening = app.server.address()
    if (listening === null || typeof listening === 'string') return `${scheme}://localhost${path}`
    const host = listening.family === 'IPv6' ? `[${listening.address}]` : listening.address
    known = `${scheme}://${host}:${listening.port}${path}`
    return known
  }
  // It is computed now, because the server has no address during the shutdown.
  app.addHook('onListen', async () => void issuer())
  return issuer
}
