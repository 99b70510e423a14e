/** Mercurius and @fastify/jwt with ES256 on the given database. `--jit` compiles queries. */
import { generateKeyPairSync } from 'node:crypto'
import jwt from '@fastify/jwt'
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { resolvers, typeDefs } from './plain-store.ts'
import { announce } from './serve.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
})

const app = Fastify({ logger: false })
await app.register(jwt, {
  secret: { private: privateKey, public: publicKey },
  sign: { algorithm: 'ES256', expiresIn: '1d' },
  verify: { algorithms: ['ES256'] }
})
app.addHook('onRequest', request => request.jwtVerify())
await app.register(mercurius, {
  schema: typeDefs,
  resolvers,
  ...(process.argv.includes('--jit') && { jit: 1 })
})
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
announce(`${origin}/graphql`, app.jwt.sign({ sub: 'somebody', scope: 'read' }))
