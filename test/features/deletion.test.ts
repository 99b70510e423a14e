// Runs on SQLite only, alone, in test:all only.
/** Each feature can be deleted: in a copy of the checkout, its folder and its line go, and the rest works. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Test, t } from 'tap'
import { directory } from '../support/database/database.ts'
import { withoutRunner } from '../support/service/process.ts'
import { escapeName, lines, listNames } from './names.ts'

const root = new URL('../../', import.meta.url).pathname
const folder = await directory(t)
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
for (const path of listed.toString().trim().split('\n'))
  if (!path.startsWith('.') && existsSync(join(root, path))) cpSync(join(root, path), join(folder, path))
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
/** The lists with a line for a feature. */
const lists = ['features/index.ts', 'features/store.ts'].map(name => {
  const path = join(folder, name)
  return { path, whole: readFileSync(path, 'utf8') }
})

const run = async (words: string[], env = {}) =>
  promisify(execFile)('env', [...withoutRunner, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), NODE_COMPILE_CACHE: join(folder, '.compiled'), ...env },
    maxBuffer: 2 ** 28
  })
const compile = () =>
  run([
    ...['node_modules/.bin/tsc', '--noEmit', '--singleThreaded', '--project', 'build/tsconfig.dist.json'],
    ...['--tsBuildInfoFile', 'types.tsbuildinfo']
  ])
const compileExplorer = () =>
  run(['node_modules/.bin/tsc', '--noEmit', '--singleThreaded', '--project', 'explorer'])
const contract = ['graphql/contract', 'token', 'templates'].map(name => `test/conformance/${name}.test.ts`)

/** Deletes features, and restores them at the end of the test. */
function deleteFeatures(t: Test, features: typeof lines): void {
  t.teardown(() => {
    for (const { folder: name } of features)
      cpSync(join(root, 'features', name), join(folder, 'features', name), { recursive: true })
  })
  for (const { folder: name } of features) rmSync(join(folder, 'features', name), { recursive: true })
  for (const { path, whole } of lists) {
    const isLeft = (line: string) => !features.some(({ folder: name }) => line.includes(`'./${name}/`))
    writeFileSync(path, whole.split('\n').filter(isLeft).join('\n'))
  }
}

/** Runs `npm run docs`. Then checks the types, the contract, and what the checkout says of itself. */
async function checkRest(t: Test, features: typeof lines): Promise<void> {
  await t.resolves(run([process.execPath, 'build/docs.ts']), 'the documents')
  // The explorer has the types of the schema, and parts of features.
  const isOfExplorer = features.some(
    ({ feature, folder: name }) => feature.schema || existsSync(join(root, 'features', name, 'explorer.ts'))
  )
  // Seconds; a slow machine takes minutes.
  const env = { TEST_FILES: JSON.stringify(contract), TAP_TIMEOUT: '1800' }
  await Promise.all([
    t.resolves(compile(), 'types'),
    isOfExplorer && t.resolves(compileExplorer(), 'types of the explorer'),
    t.resolves(run([process.execPath, '--import=@tapjs/mock/import', 'test/group.ts'], env), 'the contract'),
    checkNames(t, features)
  ])
}

/** Checks that nothing that the checkout says of itself names the features. */
async function checkNames(t: Test, features: typeof lines): Promise<void> {
  const { stdout } = await run([process.execPath, 'test/features/probe.ts'])
  const known = JSON.parse(stdout)
  for (const { feature } of features) {
    const names = await listNames(feature)
    const { options, variables, flags, commands, paths, actions, metrics, fields } = names
    for (const name of options) t.notOk(known.options.includes(name), name)
    for (const path of paths) t.notOk(known.paths.includes(path), path)
    for (const name of fields) t.notMatch(known.schema, new RegExp(`^  ${name}\\b`, 'm'))
    for (const name of actions) t.notOk(known.help.audit.includes(name), name)
    for (const name of commands) t.notMatch(known.help.all, new RegExp(`^ +${name}\\b`, 'm'))
    for (const name of [...names.fileOptions, ...names.extensions])
      t.notMatch(known.help.files, new RegExp(`${name}\\b`), name)
    for (const flag of flags) t.notOk(known.help.serve.includes(`${flag} `), flag)
    // Sentences may still mention it.
    for (const name of [...variables, ...options, ...paths, ...metrics])
      t.notMatch(known.tables, new RegExp(`^\\| (\\w+ \\| )?\`${escapeName(name)}\``, 'm'))
    for (const path of paths) t.notOk(known.metadata.join().includes(path), path)
  }
}

t.test('before anything is deleted, the copy is whole', async t => {
  await t.resolves(compile())
})

for (const line of lines)
  t.test(`${line.folder} can be deleted`, async t => {
    deleteFeatures(t, [line])
    await checkRest(t, [line])
  })

t.test('all can be deleted at once; what is left can be built and started', async t => {
  deleteFeatures(t, lines)
  await checkRest(t, lines)
  // The copy uses the same cache, and so needs no packages of GraphiQL.
  execFileSync(process.execPath, ['build/explorer.ts', '--cache-only'], { cwd: root })
  await t.resolves(run([process.execPath, 'build/main.ts']), 'the build')
  const env = { PATH: process.env.PATH, DATABASE_URL: 'sqlite::memory:', PORT: '0' }
  const words = [...withoutRunner, process.execPath, 'dist/cli/main.js', 'serve', '--demo']
  const child = spawn('env', words, { cwd: folder, env })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const url = JSON.parse(line).msg.replace('Server listening at ', '')
  t.equal((await fetch(`${url}/livez`)).status, 200)
  t.equal((await fetch(`${url}/graphql`, { method: 'POST' })).status, 401)
})
