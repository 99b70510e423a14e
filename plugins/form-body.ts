import formbody from '@fastify/formbody'
import fp from 'fastify-plugin'

/** Bytes of a form body: a token request has a few short parameters. */
const bodyLimit = 16 * 1024

/** Form bodies and no others, in the scope it is registered in; parsers of a host stay outside. */
export const formBody = fp(
  async app => {
    app.removeAllContentTypeParsers()
    await app.register(formbody, { bodyLimit })
  },
  { name: 'product-form-body', fastify: '5.x' }
)
