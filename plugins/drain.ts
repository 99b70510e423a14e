import fp from 'fastify-plugin'

/**
 * Closes keep-alive connections while the server shuts down. `close()` alone waits up to 72 s for connections that
 * become idle after it was called, longer than an orchestrator does.
 */
// until fastify/fastify#7044 is released
export const drain = fp(
  async app => {
    let closing = false
    app.addHook('preClose', async () => {
      closing = true
    })
    app.addHook('onSend', (_request, reply, payload, done) => {
      if (closing) reply.header('Connection', 'close')
      done(null, payload)
    })
    // For a response whose headers were sent before the shutdown began.
    app.addHook('onResponse', (_request, _reply, done) => {
      if (closing) setImmediate(() => app.server.closeIdleConnections())
      done()
    })
  },
  { name: 'product-drain', fastify: '5.x' }
)
