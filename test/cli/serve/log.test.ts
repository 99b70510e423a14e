// Runs on SQLite only, in test:all only.
/** A log that cannot be written stops neither requests nor the end of the service. */
import { execFileSync, spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Test, t } from 'tap'
import { scrape } from '../../metrics/scrape.ts'
import { directory, migratedUrl } from '../../support/database/database.ts'
import { freePort } from '../../support/postgres/postgres.ts'
import { needs } from '../../support/programs.ts'
import { command, type Running, serve, start, withoutRunner } from '../../support/service/process.ts'
import { until } from '../../support/until.ts'

type Service = Running & { url: string }

const dropped = async (url: string) => (await scrape(`${url}/metrics`)).sum('log_lines_dropped_total')

/** Sends requests of which each makes two lines, together more than a pipe takes. */
async function logMuch({ url }: Service): Promise<void> {
  for (let count = 0; count < 150; count++)
    if ((await fetch(`${url}/nowhere`)).status !== 404) throw new Error('no answer')
}

/** Parses a line of the log. Returns nothing for one that is cut: it may end anywhere, also after a bracket. */
function parseWhole(line: string): object[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

async function endByTerm(t: Test, { child, ended }: Service): Promise<void> {
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
}

/** Starts a service whose log the test does not see. */
async function serveUnseen(t: Test, limits: string, env: Record<string, string> = {}): Promise<Service> {
  const port = await freePort()
  const running = start(t, ['serve'], { DATABASE_URL: await migratedUrl(t), PORT: `${port}`, ...env }, limits)
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200)
  return { ...running, url }
}

for (const WORKERS of ['1', '2']) {
  t.test(`a full disk under the log, WORKERS=${WORKERS}`, async t => {
    const service = await serveUnseen(t, 'exec >/dev/full 2>&1', { WORKERS })
    await logMuch(service)
    await until(async () => (await dropped(service.url)) > 10)
    await endByTerm(t, service)
  })

  t.test(`a closed pipe, WORKERS=${WORKERS}`, async t => {
    const service = await serve(t, ['--demo'], { DATABASE_URL: await migratedUrl(t), WORKERS })
    service.child.stdout.destroy()
    service.child.stderr.destroy()
    await logMuch(service)
    await until(async () => (await dropped(service.url)) > 10)
    await endByTerm(t, service)
  })

  t.test(`a reader that has stopped, WORKERS=${WORKERS}`, async t => {
    const pipe = join(await directory(t), 'pipe')
    const service = await serveUnseen(t, `mkfifo ${pipe}; exec 1<>${pipe} 2>&1`, { WORKERS })
    await logMuch(service)
    await endByTerm(t, service)
  })
}

t.test('no line is lost if the reader only pauses', async t => {
  const service = await serve(t, [], { DATABASE_URL: await migratedUrl(t) })
  service.child.stdout.pause()
  for (let turn = 0; turn < 3; turn++) await logMuch(service)
  t.equal(await dropped(service.url), 0)
  service.child.stdout.resume()
  service.child.kill('SIGTERM')
  const { stdout } = await service.ended
  t.equal(stdout.match(/"request completed"/g)?.length, 450)
})

t.test('on a terminal, a request is one line', needs('script'), async t => {
  const words = ['exec', 'env', ...withoutRunner, ...command, 'serve'].join(' ')
  const env = { DATABASE_URL: await migratedUrl(t), PORT: '0' }
  const { line, child, ended } = start(t, [], env, `exec script -qec '${words}' /dev/null`)
  const listening = await line('stdout', /Server listening at/)
  const [, url] = /(http:[\d.:/]+)/.exec(listening) ?? []
  for (const path of ['schemas/template.json', 'livez', '.well-known/jwks.json'])
    await fetch(`${url}/${path}`)
  await line('stdout', /jwks/)
  child.kill('SIGKILL')
  const lines = (await ended).stdout.split('\r\n')
  const first = lines.findIndex(each => each.includes('template.json'))
  t.match(lines.slice(first, first + 2), [
    /INFO.*GET \/schemas\/template\.json 200 \d+\.\d ms/,
    /INFO.*GET \/\.well-known\/jwks\.json 200 \d+\.\d ms/
  ])
})

/** Reads a named pipe until the reader is killed. */
function readPipe(t: Test, pipe: string) {
  const child = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface(child.stdout).on('line', line => lines.push(line))
  return { child, lines }
}

t.test('when the log works again, a line tells how many lines were dropped', async t => {
  const pipe = join(await directory(t), 'pipe')
  execFileSync('mkfifo', [pipe])
  const first = readPipe(t, pipe)
  const service = await serveUnseen(t, `exec >${pipe}`)
  first.child.kill('SIGKILL')
  await logMuch(service)
  const count = await dropped(service.url)
  t.ok(count > 100)
  const second = readPipe(t, pipe)
  await until(async () => {
    await fetch(`${service.url}/nowhere`)
    return second.lines.some(line => line.includes('the log can be written again'))
  })
  const notes = second.lines.map(line => JSON.parse(line)).filter(line => 'dropped' in line)
  t.match(notes, [{ level: 50, dropped: await dropped(service.url), reason: 'EPIPE' }])
  await endByTerm(t, service)
})

t.test('after a full disk, the log continues with whole lines', needs('the right to mount'), async t => {
  const disk = await directory(t)
  const mount = `set -- unshare --mount sh -c 'mount -t tmpfs -o size=64k none ${disk} && exec env "$@" >${disk}/log' sh "$@"`
  const service = await serveUnseen(t, mount)
  const seen = `/proc/${service.child.pid}/root${disk}`
  await writeFile(`${seen}/filler`, Buffer.alloc(40_000))
  await logMuch(service)
  t.ok((await dropped(service.url)) > 100)
  await rm(`${seen}/filler`)
  await fetch(`${service.url}/nowhere`)
  await until(async () => (await readFile(`${seen}/log`, 'utf8')).includes('the log can be written again'))
  const lines = (await readFile(`${seen}/log`, 'utf8')).trim().split('\n')
  const whole = lines.flatMap(parseWhole)
  t.ok(lines.length - whole.length <= 1, 'at most one line is cut')
  const notes = whole.filter(line => 'dropped' in line)
  t.match(notes, [{ dropped: await dropped(service.url), reason: 'ENOSPC' }])
  await endByTerm(t, service)
})
