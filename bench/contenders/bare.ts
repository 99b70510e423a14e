/** A minimal GraphQL service: Fastify, Mercurius and a resolver with templates in memory. No tokens. */
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { announce } from './serve.ts'

const templates = Array.from({ length: 12 }, (_, id) => ({
  id,
  name: `Template ${id}`,
  data: 'x'.repeat(3000)
}))

const app = Fastify({ logger: false })
await app.register(mercurius, {
  schema: 'type Template { id: Int! name: String! data: String! } type Query { allProducts: [Template!]! }',
  resolvers: { Query: { allProducts: async () => templates } }
})
app.get('/readyz', async () => ({}))
announce(await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }))
