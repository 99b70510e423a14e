// Runs on SQLite only, alone, in test:all only.
/** The packed command by npx: on the oldest Node.js that it runs on, on the newest, and on one that is too old. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Test, t } from 'tap'
import { packAlone } from '../support/pack.ts'
import { withoutRunner } from '../support/service/process.ts'

const runtimes = join(import.meta.dirname, 'node_modules')
const oldest = join(runtimes, 'oldest/bin')
const newest = dirname(process.execPath)
const refused = join(runtimes, 'refused/bin')

const folder = await mkdtemp(join(tmpdir(), 'product-templates-npx-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

const environment = (runtime: string, more = {}) => ({ PATH: `${runtime}:${process.env.PATH}`, ...more })
const npm = (runtime: string, words: string[], cwd: string) =>
  promisify(execFile)('env', [...withoutRunner, 'npm', ...words], { cwd, env: environment(runtime) })

const root = join(import.meta.dirname, '../..')
await packAlone(() => npm(newest, ['pack', '--pack-destination', folder], root))
const [tarball = ''] = await readdir(folder)
const installed = await npm(
  oldest,
  ['install', `./${tarball}`, '--prefer-offline', '--loglevel=warn'],
  folder
)

/** Starts a command of the installed package with a Node.js. */
function npx(t: Test, runtime: string, words: string[]) {
  const env = environment(runtime, { DATABASE_URL: 'sqlite::memory:', PORT: '0' })
  const options = { cwd: folder, env, detached: true }
  const child = spawn('env', [...withoutRunner, 'npx', 'product-templates', ...words], options)
  // npx ends before its command, and does not pass signals on.
  const kill = (signal: NodeJS.Signals) => process.kill(-(child.pid as number), signal)
  t.teardown(() => child.exitCode ?? child.signalCode ?? kill('SIGKILL'))
  return { child, kill }
}

t.test('npm installs the package without a warning, also about scripts', async t => {
  t.same(installed.stderr, '')
})

for (const [name, runtime] of Object.entries({ oldest, newest }))
  t.test(`the ${name} Node.js serves`, async t => {
    const { child, kill } = npx(t, runtime, ['serve', '--demo'])
    const [line] = await once(createInterface(child.stdout), 'line')
    const url = JSON.parse(line).msg.replace('Server listening at ', '')
    for (const path of ['/', '/explorer/graphql', '/readyz'])
      t.equal((await fetch(`${url}${path}`)).status, 200, path)
    kill('SIGTERM')
    // All of the processes have closed its output.
    await once(child, 'close')
  })

t.test('an older Node.js is told what the package needs, also when it imports it', async t => {
  const { child } = npx(t, refused, ['serve', '--demo'])
  const lines: string[] = []
  createInterface(child.stderr).on('line', line => lines.push(line))
  t.same(await once(child, 'close'), [2, null])
  const sentence = 'product-templates needs Node.js 22.18 or newer; this is 20.20.2'
  t.same(lines, [sentence])
  const code = `for (const name of ['', '/plugins', '/store', '/testing'])
    await import('product-templates' + name).catch(error => console.log(error.message))`
  const words = [...withoutRunner, join(refused, 'node'), '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)('env', words, { cwd: folder })
  t.equal(stdout, `${sentence}\n`.repeat(4))
})
