// Runs on SQLite only: there is no database.
import Fastify from 'fastify'
import { t } from 'tap'
import { repeatUntilClose } from '../../plugins/repeat-until-close.ts'

t.test('a round that rejects is logged, and the server goes on', async t => {
  const { promise: logged, resolve: log } = Promise.withResolvers<string>()
  const app = Fastify({ logger: { level: 'error', stream: { write: log } } })
  t.teardown(() => app.close())
  repeatUntilClose(app, async () => {
    throw new Error('the disk is full')
  })
  // A round keeps no process alive, but a listening server does.
  await app.listen({ port: 0 })
  t.match(await logged, /the disk is full/)
  t.equal((await app.inject('/')).statusCode, 404)
})
