import fp from 'fastify-plugin'
import { openPasskeys, type Passkeys } from '../credentials/passkeys.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes and checks passkeys; undefined if PASSKEYS is off. */
    productPasskeys: Passkeys | undefined
  }
}

/** Passkeys. Throws StartError if the issuer cannot have any, or if @simplewebauthn/server is not installed. */
export const passkeys = fp<{ passkeys: boolean; issuer?: string | undefined }>(
  async (app, { passkeys, issuer }) => {
    app.decorate('productPasskeys', passkeys ? await openPasskeys(issuer) : undefined)
  },
  { name: 'product-passkeys', fastify: '5.x' }
)
