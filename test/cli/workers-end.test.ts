// Runs on SQLite only, in test:all only.
/** How workers start, end and are replaced. */
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { type Agent, type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { type Test, t } from 'tap'
import { directory, migratedUrl } from '../support/database/database.ts'
import { run } from '../support/service/process.ts'
import { until } from '../support/until.ts'
import {
  listeningWorker,
  login,
  openTwo,
  readLog,
  type Service,
  send,
  serveByTwo,
  whoLogged
} from './worker-log.ts'

const body = JSON.stringify({
  query: `mutation {
    createProduct(input: { blockchainId: 1, maxItems: 1, name: "x", data: "{}" }) { userErrors { code } }
  }`
})

/** A request that a worker has begun to serve. */
interface Begun {
  response: Promise<IncomingMessage>
}

/** Starts two workers on a database of their own. */
async function serveTwo(t: Test) {
  const databaseUrl = await migratedUrl(t)
  return { ...(await serveByTwo(t, { DATABASE_URL: databaseUrl })), databaseUrl }
}

/** Locks the store. Returns a function that sends a mutation, which waits for the lock, and one that ends the lock. */
async function lock(t: Test, { url, databaseUrl }: Awaited<ReturnType<typeof serveTwo>>) {
  const { access_token: token } = (await send(`${url}/oauth/token`, login)).body
  // A mutation waits for five seconds at most.
  const file = new Sqlite(databaseUrl.slice('sqlite:'.length))
  file.exec('begin immediate')
  t.teardown(() => file.close())
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue'
  }
  return {
    release: () => void file.close(),
    /** Resolves once a worker has begun to serve it. */
    async begin(agent: Agent): Promise<Begun> {
      const sent = request(`${url}/graphql`, { agent, method: 'POST', headers })
      sent.flushHeaders()
      await once(sent, 'continue')
      const response = once(sent.end(body), 'response').then(([response]) => response.resume())
      // Some tests cut it.
      response.catch(() => {})
      return { response }
    }
  }
}

/** Lets the requests go on. Each response says that it is the last one of its connection. */
async function answerAll(t: Test, requests: Begun[], release: () => void): Promise<void> {
  release()
  for (const { response } of requests) {
    const { statusCode, headers } = await response
    t.same([statusCode, headers.connection], [200, 'close'])
  }
}

const closing = ({ line }: Service, pid: number) =>
  line('stdout', new RegExp(`"pid":${pid}\\b.*"msg":"closing"`))

/** Options of Node for a worker that ends when it starts, if there is such a file. */
const endingIf = (file: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`
import { existsSync } from 'node:fs'
if (process.send && existsSync('${file}')) process.kill(process.pid, 'SIGKILL')`)}`

t.test('SIGTERM drains all workers: requests in progress are answered, the exit code is 0', async t => {
  const service = await serveTwo(t)
  const { url, workers, child, ended } = service
  const [one, two] = await openTwo(t, service)
  const { begin, release } = await lock(t, service)
  const slow = [await begin(one), await begin(two)]
  child.kill('SIGTERM')
  for (const pid of workers) await closing(service, pid)
  // They say so before they stop listening.
  await until(() =>
    send(`${url}/livez`).then(
      () => false,
      ({ code }) => code === 'ECONNREFUSED'
    )
  )
  await answerAll(t, slow, release)
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.same(
    whoLogged(stdout, 'request completed'),
    [...workers].sort((a, b) => a - b),
    'each had one'
  )
})

t.test('a signal to the whole process group, as from a terminal, drains them once', async t => {
  const service = await serveTwo(t)
  const { workers, child, ended } = service
  const [early, late] = workers
  const [one, two] = await openTwo(t, service)
  const { begin, release } = await lock(t, service)
  const slow = [await begin(one), await begin(two)]
  // One worker gets the signal before the supervisor passes it on, the other one after.
  process.kill(early, 'SIGINT')
  await closing(service, early)
  child.kill('SIGINT')
  for (const pid of [child.pid as number, late]) await closing(service, pid)
  process.kill(late, 'SIGINT')
  await answerAll(t, slow, release)
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.equal(readLog(stdout).filter(({ msg }) => msg === 'closing').length, 3, 'each once')
})

t.test('without the supervisor the workers finish their requests and end', async t => {
  const service = await serveTwo(t)
  const { workers, child, ended } = service
  const [one] = await openTwo(t, service)
  const { begin, release } = await lock(t, service)
  const slow = await begin(one)
  child.kill('SIGKILL')
  for (const pid of workers) await closing(service, pid)
  await answerAll(t, [slow], release)
  // They would keep its output open.
  t.equal((await ended).signal, 'SIGKILL')
})

t.test('a second signal ends all of them at once', async t => {
  const service = await serveTwo(t)
  const { workers, child, ended } = service
  const [one] = await openTwo(t, service)
  const { begin } = await lock(t, service)
  const slow = await begin(one)
  child.kill('SIGTERM')
  for (const pid of workers) await closing(service, pid)
  child.kill('SIGTERM')
  await t.rejects(slow.response, { code: 'ECONNRESET' })
  const { code, stdout } = await ended
  t.equal(code, 1)
  t.notMatch(stdout, /killed by timeout/)
})

t.test('a worker that did not end well makes the exit code 1', async t => {
  const service = await serveTwo(t)
  const { workers, child, ended } = service
  const [one] = await openTwo(t, service)
  const { begin } = await lock(t, service)
  await begin(one)
  child.kill('SIGTERM')
  for (const pid of workers) await closing(service, pid)
  // One of them has ended, the other one has the request.
  for (const pid of workers) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
  }
  t.equal((await ended).code, 1)
})

t.test('workers that are killed are replaced, on the same port even if it was a free one', async t => {
  const service = await serveByTwo(t, { DATABASE_URL: await migratedUrl(t) })
  const { url, workers, line, child, ended } = service
  const [one, two] = workers
  process.kill(one, 'SIGKILL')
  await line('stdout', new RegExp(`"worker":${one},.*"signal":"SIGKILL","msg":"a worker process ended"`))
  for (let turn = 0; turn < 4; turn++) t.equal((await send(`${url}/livez`)).status, 200, 'by the other one')
  const third = await listeningWorker(service, workers)

  for (const pid of [two, third]) process.kill(pid, 'SIGKILL')
  const fourth = await listeningWorker(service, [...workers, third])
  const fifth = await listeningWorker(service, [...workers, third, fourth])
  await openTwo(t, { ...service, workers: [fourth, fifth] })
  child.kill('SIGTERM')
  t.equal((await ended).code, 0)
})

t.test('the service goes on without a worker that cannot start, and ends without any', async t => {
  const file = join(await directory(t), 'broken')
  const env = { DATABASE_URL: await migratedUrl(t), NODE_OPTIONS: endingIf(file) }
  const service = await serveByTwo(t, env)
  const { url, workers, line, ended } = service
  const [one, two] = workers
  await writeFile(file, '')
  process.kill(one, 'SIGKILL')
  await line(
    'stdout',
    new RegExp(`"worker":(?!${one})\\d+,.*"signal":"SIGKILL","msg":"a worker process ended"`)
  )
  t.equal((await send(`${url}/livez`)).status, 200)
  await rm(file)
  const third = await listeningWorker(service, workers)

  await writeFile(file, '')
  for (const pid of [two, third]) process.kill(pid, 'SIGKILL')
  await line('stdout', /"level":60,.*"signal":"SIGKILL","msg":"a worker process ended while it started"/)
  t.equal((await ended).code, 1)
})

t.test('workers that end when they start end the service with the reason', async t => {
  const file = join(await directory(t), 'broken')
  await writeFile(file, '')
  const env = { DATABASE_URL: await migratedUrl(t), WORKERS: '2', PORT: '0', NODE_OPTIONS: endingIf(file) }
  const { code, stdout, stderr } = await run(t, ['serve'], env)
  t.same([code, stderr], [1, ''])
  t.match(stdout, /^{"level":60,.*"signal":"SIGKILL","msg":"a worker process ended while it started"}\n$/)
})

t.test('what keeps one process from starting keeps several from it, with one message', async t => {
  const WORKERS = '2'
  const broken = await run(t, ['serve'], { DATABASE_URL: 'sqlite:/nowhere/at/all.db', WORKERS, PORT: '0' })
  t.equal(broken.code, 2)
  t.match(broken.stderr, /^product-templates: PTS_BAD_DATABASE: cannot use the database .*\n$/)

  const memory = await run(t, ['serve'], { DATABASE_URL: 'sqlite::memory:', WORKERS, PORT: '0' })
  t.same([memory.code, memory.stdout], [2, ''])
  t.match(
    memory.stderr,
    /^product-templates: PTS_BAD_OPTION: WORKERS must be 1 for a database in memory.*\n$/
  )

  const flags = ['--workers', '2', '--port', '0']
  const typed = await run(t, ['serve', ...flags], { DATABASE_URL: 'sqlite::memory:' })
  t.match(typed.stderr, /: --workers must be 1 for a database in memory/, 'by the name that was typed')

  // What only the workers find out.
  const env = { DATABASE_URL: await migratedUrl(t), WORKERS, PORT: '0' }
  const keys = await run(t, ['serve'], { ...env, SIGNING_KEYS_FILE: '/nowhere/keys.json' })
  t.equal(keys.code, 2)
  t.match(keys.stderr, /^product-templates: PTS_BAD_KEYS: .*\n$/)

  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  t.teardown(() => blocker.close())
  const { port } = blocker.address() as { port: number }
  const busy = await run(t, ['serve'], { ...env, PORT: String(port) })
  t.equal(busy.code, 1)
  t.match(busy.stderr, /^product-templates: cannot listen: .*EADDRINUSE.*\n$/)
})
