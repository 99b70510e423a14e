// Runs on SQLite only, alone, in test:all only.
/** The package as users get it: packed, installed in an empty folder without development dependencies. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Test, t } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { readBlock, readLines } from '../support/documents.ts'
import { basic, tokenRequest } from '../support/http/http.ts'
import { packAlone } from '../support/pack.ts'
import { withoutRunner } from '../support/service/process.ts'
import { remember, secret } from '../support/service/secrets.ts'
import { hover } from './hover.ts'

const execute = promisify(execFile)
const run = (file: string, words: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) =>
  execute('env', [...withoutRunner, file, ...words], options)
const root = new URL('../../', import.meta.url).pathname
const bin = (folder: string, name: string) => join(folder, 'node_modules/.bin', name)

const folder = await mkdtemp(join(tmpdir(), 'product-templates-package-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const readme = await readFile(join(root, 'README.md'), 'utf8')
const pack = () => run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
const packed = JSON.parse((await packAlone(pack)).stdout)
const { filename, files } = [packed].flat()[0] ?? Object.values(packed)[0]
const [installing = '', starting = ''] = readLines('run: install')
await run('sh', ['-c', `${installing.replace('product-templates', `./${filename}`)} --prefer-offline`], {
  cwd: folder
})
const created = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
await writeFile(join(folder, 'package.json'), JSON.stringify({ ...created, type: 'module' }))

/** Runs the installed command, with `input` on its standard input. */
async function command(words: string[], env: Record<string, string>, input = '') {
  const running = run(bin(folder, 'product-templates'), words, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env }
  })
  running.child.stdin?.end(input)
  return running
}

/** What the two kinds of projects say of their modules. */
const kinds = [['nodenext'], ['esnext', '--moduleResolution', 'bundler']]

/** Compiles a file of the folder with the strictest options, and with `more`, as projects of each kind do. */
async function compile(t: Test, file: string, of = kinds, ...more: string[]) {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit']
  const vite = ['--verbatimModuleSyntax', '--erasableSyntaxOnly', '--target', 'es2024', '--types', 'node']
  const types = ['--allowImportingTsExtensions', '--typeRoots', join(root, 'node_modules/@types')]
  const words = ['--ignoreConfig', '--singleThreaded', ...strict, ...vite, ...types, ...more, file]
  // prom-client brings it along. Other package managers than npm do not let anybody else find it there.
  const [found, hidden] = ['@opentelemetry', '.hidden'].map(name => join(folder, 'node_modules', name))
  await rename(found as string, hidden as string)
  for (const module of of) {
    const how = ['--module', ...module, ...words]
    const { stdout } = await run(bin(root, 'tsc'), how, { cwd: folder }).catch(error => error)
    // Without the check of libraries, only the file itself counts: the package and the sources in one program both
    // extend the types of Fastify.
    const isOfFile = (line: string) => !more.includes('--skipLibCheck') || line.startsWith(file)
    t.same(stdout.split('\n').filter(isOfFile).join('\n'), '', module.join(' '))
  }
  await rename(hidden as string, found as string)
}

/** Starts a process and waits for a line of its log. */
async function started(t: Test, file: string, words: string[], env: Record<string, string>, pattern: RegExp) {
  const child = spawn('env', [...withoutRunner, file, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env }
  })
  t.teardown(() => child.kill('SIGKILL'))
  child.stderr.pipe(process.stderr)
  for await (const line of createInterface(child.stdout)) if (pattern.test(line)) return { child, line }
  throw new Error(`${file} ended early`)
}

t.test(
  'the package contains only the compiled code, its types, the schema, the documents and what they name',
  async t => {
    const paths: string[] = files.map(({ path }: { path: string }) => path)
    t.ok(paths.includes('dist/graphql/schema.graphql'))
    t.ok(paths.includes('domain/template.schema.json') && paths.includes('dist/domain/template.schema.json'))
    t.ok(paths.includes('dist/index.d.ts') && paths.includes('dist/plugins/index.d.ts'))
    for (const path of paths)
      t.match(
        path,
        /^(dist|deploy|examples|bench\/contenders)\/|^docs\/[A-Za-z.]+\.(md|png)$|^bench\/[A-Za-z]+\.(md|svg|json)$|^(graphql\/schema\.graphql|domain\/template\.schema\.json|packages\/client\/README\.md)$|^(\.github\/CONTRIBUTING|[A-Za-z]+)(\.md|\.json)?$/
      )
    t.notOk(
      paths.some(path => /node_modules|tsbuildinfo|\.test\.[jt]s|^dist\/(test|bench|docs)\//.test(path))
    )
  }
)

t.test('each Dockerfile of the package finds the files that it copies', async t => {
  const paths: string[] = files.map(({ path }: { path: string }) => path)
  const dockerfiles = paths.filter(path => path.endsWith('Dockerfile'))
  t.ok(dockerfiles.length > 0)
  for (const path of dockerfiles) {
    const text = await readFile(join(folder, 'node_modules/product-templates', path), 'utf8')
    for (const [line, words = ''] of text.matchAll(/^COPY (?!.*--from=)(.*)$/gm)) {
      const sources = words.split(' ').filter(word => !word.startsWith('--'))
      for (const source of sources.slice(0, -1)) t.ok(paths.includes(join(path, '..', source)), line)
    }
  }
})

t.test('npm runs nothing of either package when it installs it', async t => {
  for (const name of ['package.json', 'packages/client/package.json']) {
    const { scripts } = JSON.parse(await readFile(join(root, name), 'utf8'))
    t.same(
      Object.keys(scripts).filter(script => /^(pre|post)?(install|prepare|prepublish)$/.test(script)),
      [],
      name
    )
  }
})

t.test('every relative link of its documents leads to a file of the package', async t => {
  const paths: string[] = files.map(({ path }: { path: string }) => path)
  for (const page of paths.filter(path => path.endsWith('.md'))) {
    const text = await readFile(join(folder, 'node_modules/product-templates', page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)) {
      const path = join(page, '..', target)
      t.ok(
        paths.some(found => found === path || found.startsWith(path.endsWith('/') ? path : `${path}/`)),
        `${page}: ${target}`
      )
    }
  }
})

t.test('its code and its types import every dependency, and no other package', async t => {
  const own = join(folder, 'node_modules/product-templates')
  const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
  const imported = new Set<string>()
  for (const { path } of files as { path: string }[]) {
    if (!/\.(js|d\.ts)$/.test(path)) continue
    const code = await readFile(join(own, path), 'utf8')
    const imports =
      /(?:\bfrom |\bimport\(|\brequire\(|^import )(['"])((?:@[\w.-]+\/)?[a-z][\w.:-]*)(?:\/[\w./-]*)?\1/gm
    for (const [, , name = ''] of code.matchAll(imports)) if (!isBuiltin(name)) imported.add(name)
  }
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  t.same([...imported].sort(), declared.sort())
})

t.test('the list of its parts for a release has what is installed, nothing else', async t => {
  const { stdout } = await run(process.execPath, [join(root, 'deploy/sbom.ts')])
  const names: string[] = JSON.parse(stdout).components.map(({ name }: { name: string }) => name)
  const installed = Object.keys(
    JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages
  ).map(path => path.replace(/^.*node_modules\//, ''))
  for (const name of installed.filter(name => name !== 'product-templates')) t.ok(names.includes(name), name)
  for (const name of ['tap', 'esbuild', 'pg']) t.notOk(names.includes(name), name)
})

t.test('the README starts the demo in an empty folder', async t => {
  // In a group of its own, because npx starts the command as a process of its own.
  const child = spawn('env', [...withoutRunner, 'sh', '-c', starting], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0' },
    detached: true
  })
  t.teardown(() => process.kill(-(child.pid as number), 'SIGKILL'))
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    url = /"Server listening at ([^"]+)"/.exec(line)?.[1] ?? ''
    if (url) break
  }
  t.equal(
    (
      await tokenRequest(
        url,
        { username: demo.email, password: demo.password },
        { authorization: basic(demo.clientId, demo.clientSecret) }
      )
    ).status,
    200
  )
  t.ok(existsSync(join(folder, 'data/templates.db')))

  const lines = [...readLines('run: import'), ...readLines('run: change').slice(1, 2)]
  await run('sh', ['-c', ...readLines('run: sheet')], { cwd: folder })
  const shown = []
  for (const line of lines) shown.push((await run('sh', ['-c', line], { cwd: folder })).stderr)
  t.match(shown, [/No problems: 6 new/, /Imported templates: 6 new/])
  const [, address = ''] = /(http:\S+)/.exec(readLines('run: export')[0] ?? '') ?? []
  const metadata = await fetch(address.replace('http://127.0.0.1:3000', url))
  t.match(await metadata.json(), { name: 'Nordlys Works shell jacket' })
})

t.test('the commands of the documents replace the demo credentials', async t => {
  const operating = await readFile(join(root, 'docs/operating.md'), 'utf8')
  const [, section = ''] = operating.split('## Replace the demo credentials')
  const [, making = '', settings = ''] = /```sh\n(.*)\nexport (.*)\n/.exec(section) ?? []
  await run('sh', ['-c', making], { cwd: folder })
  t.equal((await stat(join(folder, 'key-encryption-secret'))).mode & 0o777, 0o600)
  const env: Record<string, string> = Object.fromEntries(settings.split(' ').map(each => each.split('=')))
  t.match(env, { DATABASE_URL: String, KEY_ENCRYPTION_SECRET_FILE: './key-encryption-secret' })
  const lines = [...section.matchAll(/^npx product-templates (.+)$/gm)].map(([, words = '']) =>
    words.split(' ')
  )
  t.same(
    lines.map(([name, verb]) => (name === 'user' || name === 'client' ? `${name} ${verb}` : name)),
    ['migrate', 'user add', 'client add', 'serve']
  )
  let clientSecret = ''
  for (const words of lines.slice(0, -1)) {
    const { stdout } = await command(words, env, `${secret('package')}\n`)
    if (words[0] === 'client') clientSecret = remember(stdout.trim())
  }
  const { child, line } = await started(
    t,
    bin(folder, 'product-templates'),
    ['serve'],
    { ...env, PORT: '0' },
    /listening/
  )
  t.match((await command(['doctor'], env).catch(error => error)).stdout, /^ok +keys /m)
  const url = JSON.parse(line).msg.replace('Server listening at ', '')
  const form = { username: 'you@example.com', password: secret('package') }
  const response = await tokenRequest(url, form, { authorization: basic('my-app', clientSecret) })
  t.match(await response.json(), { token_type: 'bearer', first_name: 'Ada' })
  child.kill('SIGTERM')
  t.same(await once(child, 'exit'), [0, null])
})

t.test('PostgreSQL without its driver is one line that says what to install', async t => {
  const env = { DATABASE_URL: 'postgres://templates:s3cr3t@127.0.0.1/templates' }
  const { code, stderr } = await command(['migrate'], env).catch(error => error)
  t.equal(code, 2)
  t.equal(stderr, 'product-templates: PTS_BAD_DATABASE: PostgreSQL needs the package pg: `npm install pg`\n')
})

t.test('the load test without autocannon is one line that says what to install', async t => {
  const { code, stderr } = await command(['bench'], {}).catch(error => error)
  t.equal(code, 2)
  t.equal(stderr, 'product-templates: bench needs the package autocannon: `npm install autocannon`\n')
})

t.test('passkeys without their package are one line that says what to install', async t => {
  const settings = { PASSKEYS: 'true', ISSUER: 'https://templates.example', PORT: '0' }
  const env = { DATABASE_URL: 'sqlite::memory:', ...settings }
  const { code, stderr } = await command(['serve'], env).catch(error => error)
  t.equal(code, 2)
  t.equal(
    stderr,
    'product-templates: PTS_BAD_OPTION: PASSKEYS needs the package @simplewebauthn/server: npm install @simplewebauthn/server\n'
  )
})

t.test('the embedding example of the README runs', async t => {
  const [, example = ''] = readme.match(/```js\n([\s\S]*?)```/) ?? []
  t.ok(example.trim().split('\n').length <= 10, 'ten lines')
  // The folder has fastify, as the package needs it itself; only the port is changed, and told.
  await writeFile(
    join(folder, 'embed.js'),
    `${example.replace('port: 8080', 'port: 0')}\nconsole.log(app.listeningOrigin)`
  )
  const { line } = await started(t, process.execPath, ['embed.js'], {}, /^http/)
  for (const path of ['/readyz', '/schemas/template.json'])
    t.equal((await fetch(`${line}/shop${path}`)).status, 200, path)
  t.equal((await fetch(`${line}/shop/graphql`, { method: 'POST' })).status, 401)
  const lines = readLines('run: embed').join('\n').replace('http://127.0.0.1:8080', line)
  const pasting = run('sh', [], { cwd: folder })
  pasting.child.stdin?.end(lines)
  t.match(JSON.parse((await pasting).stdout), { token_type: 'bearer', expires_in: 86_400 })
  t.equal((await fetch(`${line}/shop/`)).status, 200)
})

t.test('the README names the file to install until the package is published', async t => {
  t.ok(readme.includes(`npm install ../product-templates/${filename}`))
  const { stdout } = await run('npx', ['node', 'cli/main.ts', '--version'], { cwd: root })
  t.ok(filename.includes(stdout.trim()))
})

t.test('a large operation finds its thread in the compiled code', async t => {
  await writeFile(
    join(folder, 'background.js'),
    `import { statSync } from 'node:fs'
import { openDatabase } from 'product-templates'
import { WorkerThreads } from './node_modules/product-templates/dist/graphql/threads/pool.js'
import { parseServiceOptions } from './node_modules/product-templates/dist/options/index.js'
const database = 'sqlite:./background.db'
await (await openDatabase(database)).destroy()
const file = { path: './background.db', inode: statSync('./background.db').ino }
const task = {
  parameters: { query: '{ allProducts { id } }' },
  caller: { scopes: ['read'] },
  version: '',
  issuer: '',
  maxResultSize: 1e6,
  milliseconds: 60_000
}
const source = { url: database, options: {}, file }
const threads = new WorkerThreads({ settings: parseServiceOptions({ database }), source })
const { signal } = new AbortController()
const { executed } = await threads.run(() => task, { token: 'one', isShort: true, signal })
console.log(executed.body)`
  )
  const { stdout } = await run(process.execPath, ['background.js'], { cwd: folder })
  t.equal(stdout, '{"data":{"allProducts":[]}}\n')
})

t.test('a backup finds its thread, and a supervisor its processes', async t => {
  const env = { DATABASE_URL: 'sqlite:./compiled.db' }
  await command(['migrate'], env)
  await command(['backup', 'copy.db'], env)
  t.ok(existsSync(join(folder, 'copy.db')))
  const more = { ...env, PORT: '0', WORKERS: '2' }
  await started(t, bin(folder, 'product-templates'), ['serve'], more, /listening/)
})

t.test('the example of the documents for tests works in the installed package', async t => {
  await writeFile(
    join(folder, 'testing.js'),
    `${readBlock('run: testing')}\nconsole.log(JSON.stringify(data))`
  )
  const { stdout } = await run(process.execPath, ['testing.js'], { cwd: folder })
  t.same(JSON.parse(stdout), { allProducts: [{ id: 1, name: 'Harbour lamp' }] })
})

t.test('the package gives all that it exports, the schema as a file and a client for any page', async t => {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await writeFile(
    join(folder, 'exports.js'),
    `import { readFileSync } from 'node:fs'
const names = process.argv.slice(2).map(name => name.replace('.', 'product-templates'))
const files = names.map(name => readFileSync(new URL(import.meta.resolve(name)), 'utf8'))
const { createClient } = await import('product-templates/client')
console.log(JSON.stringify([files[names.indexOf('product-templates/schema.graphql')], typeof createClient]))`
  )
  const { stdout } = await run(process.execPath, ['exports.js', ...Object.keys(exports)], { cwd: folder })
  const schema = await readFile(join(root, 'graphql/schema.graphql'), 'utf8')
  t.same(JSON.parse(stdout), [schema, 'function'])
})

t.test('the types work for a strict consumer', async t => {
  await writeFile(
    join(folder, 'consumer.ts'),
    `import Fastify from 'fastify'
import productTemplates, { openDatabase, StartError, type ServiceOptions } from 'product-templates'
import { bearerAuth, clientAuth, store, tokens } from 'product-templates/plugins'
import { clients, type Db, openDatabase as openStore, templates } from 'product-templates/store'
import { createClient } from 'product-templates/client'
import type { introspection } from 'product-templates/introspection'
import { buildTestService } from 'product-templates/testing'
const app = Fastify()
const options: ServiceOptions = { database: 'sqlite::memory:', accessTokenTtl: 60 }
await app.register(productTemplates, { prefix: '/shop', ...options, db: await openDatabase('sqlite::memory:') })
await app.register(store, { database: 'sqlite::memory:' })
await app.register(tokens, { accessTokenTtl: 60 })
await app.register(clientAuth)
await app.register(bearerAuth)
const issued: string = (await app.productTokens.issue({ sub: 'me', clientId: 'c', scopes: ['read'] })).accessToken
app.get('/me', { onRequest: app.productBearerAuth('read') }, async request => request.productToken?.sub ?? issued)
const test = await buildTestService({ templates: [{ name: 'x' }] })
const db: Db = await openStore('sqlite::memory:')
const { product, problems } = await templates.create(test.db, { blockchainId: 1, maxItems: 1, name: 'x',
  publicProduct: true, componentName: 'c', data: '{}' })
export const revision: number | undefined = product?.revision ?? problems[0]?.currentRevision
export const secret: string | undefined = (await clients.add(db, { id: 'x', scopes: ['read'] })).secret
const { nodes } = await createClient({ url: 'https://a.example', auth: issued }).products({ select: { name: true } })
export const names: string[] = nodes.map(({ name }) => name)
export type Names = keyof introspection['types']
// @ts-expect-error a field that there is not
await createClient({ url: 'https://a.example', auth: issued }).product(1, { select: { nme: true } })
// @ts-expect-error a scope that there is not
await clients.add(db, { id: 'x', scopes: ['all'] })
// @ts-expect-error an option that there is not
await app.register(productTemplates, { databse: 'x' })
// @ts-expect-error an option of a wrong type
await app.register(productTemplates, { accessTokenTtl: '60' })
// @ts-expect-error a choice that there is not
await app.register(productTemplates, { signingAlgorithm: 'HS256' })
export const failed = (error: unknown) => error instanceof StartError
`
  )
  await compile(t, 'consumer.ts')
})

t.test('the types say the same as the sources', async t => {
  await writeFile(
    join(folder, 'same.ts'),
    `import type { ServiceOptions as PackedOptions } from 'product-templates'
import type * as packed from 'product-templates/store'
import type { ServiceOptions } from '${root}options/index.ts'
import type * as source from '${root}store.ts'
type Flat<T> = { [Key in keyof T]: T[Key] }
type Same<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends (<T>() => T extends Flat<B> ? 1 : 2) ? true : false
type New<Accounts extends { add: (...given: never) => unknown }> = Parameters<Accounts['add']>[1]
type Client = New<typeof source.clients>
export const clients: Same<New<typeof packed.clients>, Client> = true
export const users: Same<New<typeof packed.users>, New<typeof source.users>> = true
// The classes of a host's objects are those of each copy.
type Plain<Options> = Omit<Options, 'db' | 'metricsRegistry' | 'tracer'>
export const options: Same<Plain<PackedOptions>, Plain<ServiceOptions>> = true
export const fewer: Same<New<typeof packed.clients>, Omit<Client, 'scopes'>> = false
`
  )
  // The consumer has checked the types themselves, and as both kinds of projects.
  await compile(t, 'same.ts', kinds.slice(0, 1), '--skipLibCheck', '--lib', 'esnext,dom')
})

t.test('an editor shows what an option is, its range, its default and its variable', async t => {
  const path = join(folder, 'hover.ts')
  await writeFile(
    path,
    `import type { ServiceOptions } from 'product-templates'
export const options: ServiceOptions = { accessTokenTtl: 60, signingAlgorithm: 'EdDSA', database: 'sqlite:x', explorer: true }
`
  )
  const words = ['accessTokenTtl', 'signingAlgorithm', 'database', 'explorer']
  const [number = '', choice = '', secret = '', host = ''] = await hover(bin(root, 'tsc'), path, words)
  t.match(number, 'accessTokenTtl?: number')
  t.match(number, 'Access token lifetime in seconds.')
  t.match(
    number,
    'From 1 to 31536000. Default: `86400`. Environment variable of the command: `ACCESS_TOKEN_TTL`.'
  )
  t.match(choice, /"ES256"/)
  t.match(choice, 'Default: `ES256`.')
  t.match(secret, 'URL of the database')
  t.notMatch(secret, 'Default')
  t.match(host, 'Serve the explorer')
})

t.test('on an old Node.js the command, and each import, say in one sentence what is needed', async t => {
  const main = join(folder, 'node_modules/product-templates/dist/cli/main.js')
  const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.17.1'}})`
  await writeFile(
    join(folder, 'old.js'),
    `for (const name of ['', '/plugins', '/store', '/testing'])
  await import('product-templates' + name).catch(error => console.log(error.message))
`
  )
  const pretended = ['--import', pretend]
  const ended = await run(process.execPath, [...pretended, main, 'serve'], { cwd: folder }).catch(
    error => error
  )
  t.equal(ended.code, 2)
  t.equal(ended.stderr, 'product-templates needs Node.js 22.18 or newer; this is 22.17.1\n')
  const { stdout } = await run(process.execPath, [...pretended, 'old.js'], { cwd: folder })
  t.equal(stdout, ended.stderr.repeat(4))
})

t.test('the command is executable, in the tarball too', async t => {
  const path = 'dist/cli/main.js'
  t.equal((await stat(join(folder, 'node_modules/product-templates', path))).mode & 0o111, 0o111)
  t.equal(files.find((file: { path: string }) => file.path === path).mode & 0o111, 0o111)
})
