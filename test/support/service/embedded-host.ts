/** A host process: it registers, uses and closes the service, and prints what is left. Its argument is the database. */
import Fastify from 'fastify'
import productTemplates from '../../../index.ts'
import { demo } from '../../../seeds/credentials.ts'
import { openStream } from '../http/event-stream.ts'
import { basic, query } from '../http/http.ts'

/** Captures values that a process-wide change would alter. */
const look = () => ({
  listeners: Object.fromEntries(
    process.eventNames().map(name => [String(name), process.listenerCount(name as 'exit')])
  ),
  globals: Reflect.ownKeys(globalThis).map(String).sort(),
  env: { ...process.env },
  umask: process.umask()
})

// fetch itself adds listeners on its first use.
await fetch('data:,')
const before = look()

const app = Fastify({ forceCloseConnections: true })
await app.register(productTemplates, { database: process.argv[2] as string })
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const during = look()
const issued = await fetch(`${url}/oauth/token`, {
  method: 'POST',
  headers: { authorization: basic(demo.clientId, demo.clientSecret) },
  body: new URLSearchParams({ grant_type: 'password', username: demo.email, password: demo.password })
})
const { access_token: token } = (await issued.json()) as { access_token: string }
const { status } = await query(url, token, '{ allProducts { id } traits { type values { text count } } }')
const ready = await fetch(`${url}/readyz`).then(response => response.status)
const stream = await openStream(url, token)
const rest = stream.rest()
await app.close()
const blocks = await rest
const after = look()
// Runs only if nothing keeps the process alive.
process.once('beforeExit', () =>
  console.log(
    JSON.stringify({
      statuses: [issued.status, status, ready],
      ended: blocks.at(-1)?.comment,
      before,
      during,
      after
    })
  )
)
