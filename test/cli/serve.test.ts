// Runs on SQLite only, in test:all only.
import { exec, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { access, readFile, writeFile } from 'node:fs/promises'
import { Agent, get, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { demoTemplates } from '../../seeds/seed.ts'
import { databaseUrl, directory, migratedUrl } from '../support/database/database.ts'
import { needs } from '../support/programs.ts'
import { command, run, serve, start } from '../support/service/process.ts'
import { remember } from '../support/service/secrets.ts'
import { runInside } from './inside.ts'

const sh = promisify(exec)

t.test('--demo on an empty database prints curl lines that work', async t => {
  const service = await serve(t, ['--demo'], { DATABASE_URL: await databaseUrl(t) })
  const token = await service.line('stderr', /^curl .*\/oauth\/token$/)
  const query = await service.line('stderr', /^curl .*\/graphql$/)
  t.match(JSON.parse((await sh(token)).stdout), { token_type: 'bearer', first_name: 'Dana' })
  const { data } = JSON.parse((await sh(query)).stdout)
  const byId = (a: { id: number }, b: { id: number }) => a.id - b.id
  t.same(data.allProducts.toSorted(byId), demoTemplates.toSorted(byId))
})

t.test('SIGTERM and SIGINT end it cleanly, and the next start finds the data', async t => {
  const env = { DATABASE_URL: await databaseUrl(t) }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const service = await serve(t, ['--demo'], env)
    await service.line('stderr', /^curl .*\/graphql$/)
    service.child.kill(signal)
    const { code, stdout } = await service.ended
    t.equal(code, 0, signal)
    for (const line of stdout.trim().split('\n'))
      t.type(JSON.parse(line), 'object', 'every line of the log is JSON')
  }
})

// Containers may not be allowed to make one.
if (spawnSync('unshare', ['-pf', '--mount-proc', 'true']).status === 0)
  t.test('as the first process of a container, it ends at a signal before it listens', async t => {
    const database = createServer().listen(0, '127.0.0.1')
    t.teardown(() => database.close())
    await once(database, 'listening')
    const { port } = database.address() as AddressInfo
    const DATABASE_URL = `postgres://a:b@127.0.0.1:${port}/x`
    const env = { PATH: process.env.PATH, DATABASE_URL, DATABASE_CONNECT_TIMEOUT: '300' }
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130]
    ] as const) {
      const asFirst = ['-pf', '--mount-proc', '--kill-child', ...command, 'serve']
      const outer = spawn('unshare', asFirst, { env, stdio: 'ignore' })
      t.teardown(() => outer.kill('SIGKILL'))
      const [socket] = await once(database, 'connection')
      socket.on('error', () => {})
      const [inner] = (await readFile(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8')).split(' ')
      process.kill(Number(inner), signal)
      t.same(await once(outer, 'exit'), [code, null])
    }
  })

t.test('it stops at once even if clients keep their connections open', async t => {
  const service = await serve(t, [], { DATABASE_URL: await migratedUrl(t) })
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  await once(
    get(`${service.url}/livez`, { agent }).on('response', answer => answer.resume()),
    'close'
  )
  // A request that is under way when the signal comes is still answered.
  const slow = request(`${service.url}/oauth/token`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': 1 }
  })
  const answered = once(slow, 'response')
  slow.flushHeaders()
  await once(slow, 'socket')
  await fetch(`${service.url}/livez`)
  service.child.kill('SIGTERM')
  await service.line('stdout', /"closing"/)
  slow.end('x')
  const [answer] = await answered
  t.equal(answer.headers.connection, 'close')
  answer.resume()
  const { code } = await service.ended
  t.equal(code, 0)
})

t.test('without --demo there is no demo data, and the log says what to do', async t => {
  const service = await serve(t, [], { DATABASE_URL: await databaseUrl(t) })
  await service.line('stdout', /the database is empty/)
  t.equal((await fetch(`${service.url}/readyz`)).status, 200)
})

t.test('in production there is no demo data, even with --demo', async t => {
  const url = await databaseUrl(t)
  const service = await serve(t, ['--demo'], { DATABASE_URL: url, NODE_ENV: 'production' })
  await service.line('stdout', /"level":40,.*--demo is ignored, because NODE_ENV is production/)
  await service.line('stdout', /the database is empty/)
  const seeded = await runInside(t, ['seed', '--demo'], { DATABASE_URL: url, NODE_ENV: 'production' })
  t.equal(seeded.code, 2)
})

t.test('the service does not listen on a network until the demo credentials are replaced', async t => {
  const env = { DATABASE_URL: await databaseUrl(t), HOST: '0.0.0.0', PORT: '0' }
  const fresh = await run(t, ['serve', '--demo'], env)
  t.equal(fresh.code, 2)
  t.match(fresh.stderr, /PTS_DEMO_CREDENTIALS: no demo data on 0\.0\.0\.0/)

  t.equal((await runInside(t, ['seed', '--demo'], env)).code, 0)
  const refused = await run(t, ['serve'], env)
  t.equal(refused.code, 2)
  t.equal(refused.stdout, '')
  const commands = [...refused.stderr.matchAll(/`product-templates ([^`]+)`/g)].map(([, words = '']) =>
    words.split(' ')
  )
  t.equal(commands.length, 3)
  for (const [index, words] of commands.entries()) {
    t.equal((await run(t, ['serve'], env)).code, 2, `${index} of 3 replaced`)
    const { code, stdout } = await runInside(t, words, env, 'a new s3cr3t password\n')
    if (stdout) remember(stdout.trim())
    t.equal(code, 0, words.join(' '))
  }
  const service = start(t, ['serve'], { ...env })
  await service.line('stdout', /Server listening at/)
})

t.test('a busy port is reported in one line with exit code 1', async t => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  t.teardown(() => blocker.close())
  const { port } = blocker.address() as { port: number }
  const DATABASE_URL = await migratedUrl(t)
  for (const [env, text] of [
    [{ PORT: `${port}` }, /^product-templates: cannot listen: .*EADDRINUSE.*; set PORT to another port\n$/],
    [{ PORT: `${port}`, WORKERS: '2' }, /^product-templates: cannot listen: .*EADDRINUSE.*; set PORT .*\n$/],
    [
      { PORT: '0', HEALTH_PORT: `${port}` },
      /^product-templates: cannot listen for probes: .*; set HEALTH_PORT/
    ],
    [{ PORT: '0', HOST: '192.0.2.1' }, /^product-templates: cannot listen: .*EADDRNOTAVAIL.*; set HOST .*\n$/]
  ] as const) {
    const { code, stderr } = await run(t, ['serve'], { DATABASE_URL, ...env })
    t.equal(code, 1)
    t.match(stderr, text)
  }
})

t.test('it listens on a Unix domain socket and replaces one left by a killed process', async t => {
  const path = await directory(t)
  const env = { DATABASE_URL: await migratedUrl(t), SOCKET_PATH: join(path, 'service.sock') }
  const ready = (service: ReturnType<typeof start>) => service.line('stdout', /Server listening at/)
  const killed = start(t, ['serve', '--demo'], env)
  await ready(killed)
  const token = await killed.line('stderr', /^curl .*\/oauth\/token$/)
  t.match(JSON.parse((await sh(token)).stdout), { token_type: 'bearer' })
  killed.child.kill('SIGKILL')
  await killed.ended
  await access(env.SOCKET_PATH)

  const second = start(t, ['serve'], env)
  await ready(second)
  t.match(JSON.parse((await sh(token)).stdout), { token_type: 'bearer' })
  const third = await run(t, ['serve'], env)
  t.equal(third.code, 1, 'a living one is not pushed out')
  t.match(third.stderr, /EADDRINUSE.*; set SOCKET_PATH to another path\n$/)
  t.match(JSON.parse((await sh(token)).stdout), { token_type: 'bearer' })
})

t.test('a file at SOCKET_PATH that is not a socket is left alone', async t => {
  const file = join(await directory(t), 'notes.txt')
  await writeFile(file, 'dear to somebody')
  const { code, stderr } = await run(t, ['serve'], { DATABASE_URL: await migratedUrl(t), SOCKET_PATH: file })
  t.same(
    [code, stderr],
    [2, `product-templates: PTS_BAD_OPTION: SOCKET_PATH is a file but not a socket: ${file}\n`]
  )
  t.equal(await readFile(file, 'utf8'), 'dear to somebody')
})

t.test(
  'five processes started at once on an empty database create one key and one set of demo data',
  async t => {
    const url = await databaseUrl(t)
    const services = await Promise.all(
      Array.from({ length: 5 }, () => serve(t, ['--demo'], { DATABASE_URL: url }))
    )
    for (const { line } of services) await line('stderr', /^curl .*\/graphql$/)
    const db = await openDatabase(url)
    t.teardown(() => db.destroy())
    const count = async (table: 'product_template' | 'product_signing_key' | 'product_user') =>
      (await db.selectFrom(table).select('id').execute()).length
    t.same(
      [await count('product_template'), await count('product_signing_key'), await count('product_user')],
      [demoTemplates.length, 1, 2]
    )
  }
)

t.test('invalid settings are reported in one line with exit code 2', async t => {
  const { code, stdout, stderr } = await run(t, ['serve'], { PORT: 'x', LOG_LEVEL: 'y' })
  t.equal(code, 2)
  t.equal(stdout, '')
  t.match(stderr, /^product-templates: PTS_BAD_OPTION: PORT .*; LOG_LEVEL .*\n$/)
})

t.test('an unusable database is reported in one line with exit code 2', async t => {
  const notes = join(await directory(t), 'notes.txt')
  await writeFile(notes, 'no database at all')
  for (const path of ['/nowhere/at/all.db', '/proc/self/templates.db', notes, '/etc']) {
    const { code, stderr } = await run(t, ['serve'], { DATABASE_URL: `sqlite:${path}`, PORT: '0' })
    t.equal(code, 2, path)
    t.match(stderr, /^product-templates: PTS_BAD_DATABASE: cannot use the database .*\n$/, path)
    t.equal(stderr.trim().split('\n').length, 1)
  }
  t.equal(await readFile(notes, 'utf8'), 'no database at all')
})

t.test('a folder that cannot be created is named', needs('Linux'), async t => {
  const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>(resolve => {
    const [node, main] = command
    // Not even root may create a folder there.
    const cwd = '/sys'
    execFile(
      node as string,
      [main as string, 'serve'],
      { cwd, env: { PORT: '0' } },
      (error, _stdout, stderr) => resolve({ code: Number(error?.code), stderr })
    )
  })
  t.equal(code, 2)
  t.match(stderr, /cannot use the database .*: the directory \S+\/data cannot be created \(E\w+\)\n$/)
})

t.test('the log has the route of a request, and nothing else of its URL', async t => {
  const service = await serve(t, [], { DATABASE_URL: await migratedUrl(t), LOG_LEVEL: 'trace' })
  await fetch(`${service.url}/oauth/token?password=s3cr3t`, { method: 'POST' })
  for (const path of ['/oauth/token;password=s3cr3t', '/%zz;s3cr3t', '/s3cr3t/graphql', '/livez/s3cr3t']) {
    const { ok, headers } = await fetch(`${service.url}${path}`, { method: 'POST' })
    t.same([ok, headers.get('cache-control')], [false, 'no-store'], path)
  }
  const missing = await fetch(`${service.url}/nowhere?password=s3cr3t`)
  t.same([missing.status, await missing.json()], [404, { code: 'not_found', message: 'no such endpoint' }])
  service.child.kill('SIGTERM')
  const { stdout } = await service.ended
  t.notMatch(stdout, /s3cr3t|nowhere/)
  const completed = stdout.split('\n').filter(line => line.includes('request completed'))
  t.same(
    completed.map(line => JSON.parse(line).req),
    [
      { method: 'POST', path: '/oauth/token', remoteAddress: '127.0.0.1' },
      ...Array(3).fill({ method: 'POST', remoteAddress: '127.0.0.1' }),
      { method: 'GET', remoteAddress: '127.0.0.1' }
    ]
  )
})
