/**
 * A host whose people log in with its own session cookie. The service asks the host who sends a request, so nobody
 * needs an account or a token of the service. To try it: `node examples/host-session.ts` with SESSION_SECRET in the
 * environment.
 */
import cookie from '@fastify/cookie'
import session from '@fastify/session'
import Fastify from 'fastify'
import productTemplates from 'product-templates'

declare module '@fastify/session' {
  interface FastifySessionObject {
    person?: { id: string; name: string; job: string }
  }
}

/** What the host's jobs may do with templates. */
const scopesOfJobs: Record<string, ('read' | 'write' | 'publish')[]> = {
  sales: ['read'],
  content: ['read', 'write'],
  lead: ['read', 'write', 'publish']
}

export async function buildHost(database: string, secret: string) {
  const app = Fastify()
  await app.register(cookie)
  await app.register(session, { secret, cookie: { secure: 'auto', sameSite: 'lax' } })

  // A real host checks a password here.
  app.post<{ Body: { id: string; name: string; job: string } }>('/login', async request => {
    // Another session: somebody else may know the id of the one before.
    await request.session.regenerate()
    request.session.person = request.body
    return 'welcome'
  })
  app.post('/logout', async ({ session }) => {
    await session.destroy()
    return 'bye'
  })

  await app.register(productTemplates, {
    prefix: '/shop',
    database,
    async authenticate(request) {
      // @fastify/session reads it once per request. It may have ended since: a stream of changes is open for long.
      await request.session.reload()
      const { person } = request.session
      return person && { subject: person.id, name: person.name, scopes: scopesOfJobs[person.job] ?? [] }
    }
  })
  return app
}

if (import.meta.main) {
  const { SESSION_SECRET = '' } = process.env
  const app = await buildHost('sqlite:./data/templates.db', SESSION_SECRET)
  console.log(await app.listen({ port: 8080 }))
}
