// Runs on SQLite only, alone, in test:all only.
/** `npm run build` and `npm start` in a copy of the checkout. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, globSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { t } from 'tap'
import { directory } from '../support/database/database.ts'
import { withoutRunner } from '../support/service/process.ts'

const root = new URL('../../', import.meta.url).pathname
const folder = await directory(t)
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
for (const path of listed.toString().trim().split('\n'))
  if (!/^(test|bench|\.)/.test(path) && existsSync(join(root, path)))
    cpSync(join(root, path), join(folder, path))
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
// The copy uses the same cache, and so needs no packages of GraphiQL.
execFileSync(process.execPath, ['build/explorer.ts', '--cache-only'], { cwd: root })

const words = [...withoutRunner, process.execPath]
const build = () => promisify(execFile)('env', [...words, 'build/main.ts'], { cwd: folder })
const listFiles = () => globSync('dist/**/*.*', { cwd: folder }).sort()
const page = join(folder, 'dist/routes/explorer/page.js')

t.test('two builds at once in one checkout both succeed, and leave nothing else', async t => {
  await Promise.all([build(), build()])
  t.ok(existsSync(join(folder, 'dist/cli/main.js')) && existsSync(join(folder, 'dist/index.d.ts')))
  t.same(globSync('dist.*', { cwd: folder }), [])
  t.same(
    listFiles().filter(path => !/\.(js|d\.ts|br|css|graphql|json|tsbuildinfo)$/.test(path)),
    []
  )
})

t.test('a running service finds what it loads after a build, which replaces whole files', async t => {
  const env = { PATH: process.env.PATH, DATABASE_URL: 'sqlite::memory:', PORT: '0' }
  const child = spawn('env', [...words, 'dist/cli/main.js', 'serve', '--demo'], { cwd: folder, env })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const url = JSON.parse(line).msg.replace('Server listening at ', '')

  const files = listFiles()
  const texts = new Set([await readFile(page, 'utf8')])
  appendFileSync(join(folder, 'routes/explorer/page.ts'), '\n// changed\n')
  let isBuilding = true
  const built = build().finally(() => {
    isBuilding = false
  })
  while (isBuilding) texts.add(await readFile(page, 'utf8'))
  await built
  texts.add(await readFile(page, 'utf8'))
  t.equal(texts.size, 2, 'the old text and the new one')
  t.same(listFiles(), files)

  // The first request for a page loads the module.
  t.equal((await fetch(`${url}/`)).status, 200)
  child.kill('SIGTERM')
  t.same(await once(child, 'exit'), [0, null])
})

t.test('npm start serves the sources as they are, and builds nothing that is current', async t => {
  const start = async () => {
    const env = { PATH: process.env.PATH, DATABASE_URL: 'sqlite::memory:', PORT: '0' }
    const child = spawn('env', [...withoutRunner, 'npm', 'start'], { cwd: folder, env, detached: true })
    const kill = (signal: NodeJS.Signals) => process.kill(-(child.pid as number), signal)
    t.teardown(() => child.exitCode ?? child.signalCode ?? kill('SIGKILL'))
    let errors = ''
    child.stderr.on('data', text => {
      errors += text
    })
    for await (const line of createInterface(child.stdout)) if (line.includes('Server listening')) break
    kill('SIGTERM')
    await once(child, 'close')
    return errors
  }
  t.notMatch(await start(), /explorer: |building/)
  appendFileSync(join(folder, 'routes/explorer/page.ts'), "\nconsole.error('a new line')\n")
  t.match(await start(), 'a new line')
})
