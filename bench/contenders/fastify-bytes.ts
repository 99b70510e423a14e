/** Fastify that sends the bytes of the given file. It only parses the request. */
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { announce } from './serve.ts'

const bytes = readFileSync(process.argv[2] as string)

const app = Fastify({ logger: false })
app.post('/graphql', (_request, reply) => {
  reply.header('content-type', 'application/json').send(bytes)
})
announce(`${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql`)
