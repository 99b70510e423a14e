// Runs on SQLite only, in test:all only.
/** The EventSource of Node.js, which follows the HTML Standard, behind a proxy that adds the token. */
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { type Test, t } from 'tap'
import { accessToken } from '../../support/http/http.ts'
import { addTemplates, service } from '../../support/service/service.ts'

// Its timer for reconnecting does not keep a process alive.
const script = `setInterval(() => {}, 1e6)
const source = new EventSource(process.argv[1])
source.onopen = () => console.log('open')
for (const type of ['insert', 'update', 'delete'])
  source.addEventListener(type, ({ data }) => console.log(type, JSON.parse(data).id, JSON.parse(data).revision))`

/** Starts the client; returns a function that resolves with its next line. */
function eventSource(t: Test, url: string): () => Promise<string | undefined> {
  const child = spawn(process.execPath, ['--experimental-eventsource', '--no-warnings', '-e', script, url], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async () => (await lines.next()).value
}

t.test('a client that loses its connection goes on where it was', async t => {
  const { db, url } = await service(t)
  const authorization = `Bearer ${await accessToken(url)}`
  await addTemplates(db, { id: 1 })
  const proxy = createServer(({ headers, url: path }, response) => {
    const forwarded = request(`${url}${path}`, { headers: { ...headers, authorization } }, answer => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    response.on('close', () => forwarded.destroy())
    forwarded.on('error', () => {})
    forwarded.end()
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const next = eventSource(t, `http://127.0.0.1:${port}/changes?after=start`)
  const rename = (name: string) => db.updateTable('product_template').set({ name }).execute()

  t.same([await next(), await next()], ['open', 'insert 1 1'])
  proxy.closeAllConnections()
  await rename('two')
  t.same([await next(), await next()], ['open', 'update 1 2'])
  await rename('three')
  t.equal(await next(), 'update 1 3')
  proxy.closeAllConnections()
  await rename('four')
  await db.deleteFrom('product_template').execute()
  t.same([await next(), await next(), await next()], ['open', 'update 1 4', 'delete 1 5'])
})
