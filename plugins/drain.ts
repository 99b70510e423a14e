import fp from 'fastify-plugin'

/**
 * Lets connections go while the server closes. `close()` waits for keep-alive connections that turn idle
 * after it began, up to 72 s, and an orchestrator does not.
 */
// until fastify/fastify#7044 is released
export const drain = fp(
  async app => {
    let closing = false
    app.addHook('preClose', async () => {
      closing = true
    })
    app.addHook('onSend', async (_request, reply) => {
      if (closing) reply.header('Connection', 'close')
    })
    // An answer whose headers were out before the closing began.
    app.addHook('onResponse', async () => {
      if (closing) setImmediate(() => app.server.closeIdleConnections())
    })
  },
  { name: 'product-drain', fastify: '5.x' }
)
