// Runs on SQLite only, in test:all only.
/** A client that does not wait for its response is nothing that an operator has to look at. */
import { once } from 'node:events'
import { t } from 'tap'
import { accessToken, query } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import { until } from '../../support/until.ts'

t.test(
  'an operation whose client has gone is logged at info, with the status that nginx gives it',
  async t => {
    const { lines, url } = await loggedService(t, {
      setUp: app => {
        app.addHook('preHandler', async ({ raw: { url, socket } }) => {
          if (url !== '/graphql') return
          socket.destroy()
          await once(socket, 'close')
        })
      }
    })
    const token = await accessToken(url)
    await t.rejects(query(url, token, '{ allProducts { id } }'))
    await until(() => lines.some(({ msg }) => msg === 'the client has gone before the response'))
    const [line] = lines.filter(({ msg }) => msg === 'the client has gone before the response')
    t.match(line, { level: 30, statusCode: 499 })
    t.same(
      lines.filter(({ level }) => Number(level) > 30),
      []
    )
  }
)
