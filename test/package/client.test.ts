// Runs on SQLite only, alone, in test:all only.
/** The package of the client as a page gets it: alone in an empty folder, under the options of Vite's templates. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Test, t } from 'tap'
import { build } from 'vite'
import { withoutRunner } from '../support/service/process.ts'

/** Bytes of what a page loads, as packages/client/README.md says. Vite reports them as gzip. */
const maxBundle = { gzip: 7000, brotli: 6000 }
/** Bytes. */
const maxTarball = 60_000

const execute = promisify(execFile)
const run = (file: string, words: string[], cwd: string) =>
  execute('env', [...withoutRunner, file, ...words], { cwd })
const root = new URL('../../', import.meta.url).pathname

const folder = await mkdtemp(join(tmpdir(), 'product-templates-page-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
await run('npm', ['pack', '--workspace=packages/client', '--pack-destination', folder], root)
const [tarball = ''] = await readdir(folder)
await run('npm', ['install', `./${tarball}`, '--prefer-offline'], folder)
await run('npm', ['pkg', 'set', 'type=module'], folder)

t.test('the package is small, and installs nothing else', async t => {
  t.same(await readdir(join(folder, 'node_modules')), ['.package-lock.json', 'product-templates-client'])
  const { size } = await stat(join(folder, tarball))
  t.ok(size <= maxTarball, `${size} bytes`)
  const own = join(folder, 'node_modules/product-templates-client')
  const files = (await readdir(own, { recursive: true })).filter(path => /\.\w+$|LICENSE/.test(path))
  for (const path of files)
    t.match(path, /^dist\/[a-z-]+\.(js|d\.ts|graphql)$|^(README\.md|LICENSE|package\.json)$/)
  const read = (...path: string[]) => readFile(join(...path), 'utf8')
  t.equal(await read(own, 'dist/schema.graphql'), await read(root, 'graphql/schema.graphql'))
  t.equal(await read(own, 'LICENSE'), await read(root, 'LICENSE'))
})

t.test('both packages have one version, and the same client', async t => {
  const read = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'))
  const [service, client] = [await read('package.json'), await read('packages/client/package.json')]
  t.equal(client.version, service.version)
  t.same(Object.keys(client.dependencies ?? {}), [])
  for (const name of Object.keys(client.exports)) {
    const from = name === '.' ? './client' : name
    t.ok(service.exports[from], `product-templates/${from}`)
  }
})

const page = `import { type Auth, type Client, createClient, LoginRequiredError } from 'product-templates-client'
import type { introspection } from 'product-templates-client/introspection'

const auth: Auth = { grant: 'authorization_code', clientId: 'page', redirectUri: 'https://a.example/' }
const client: Client = createClient({ url: 'https://a.example', auth })
export const other: typeof fetch = client.fetch
export const token: Promise<string> = client.token()
export type Names = keyof introspection['types']
const { nodes } = await client.products({ select: { name: true } })
export const names: string[] = nodes.map(({ name }) => name)
export const mustLogIn = (error: unknown) => error instanceof LoginRequiredError
// @ts-expect-error a field that there is not
await client.product(1, { select: { nme: true } })
`

/** What \`npm create vite\` writes for TypeScript, but for \`skipLibCheck\` and the types of Vite. */
const viteOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  moduleDetection: 'force',
  noEmit: true,
  strict: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
  noFallthroughCasesInSwitch: true,
  noUncheckedSideEffectImports: true,
  exactOptionalPropertyTypes: true
}

/** Checks the types of the page; the libraries' too. */
async function compile(t: Test, name: string, options: object) {
  const compilerOptions = { ...viteOptions, ...options, skipLibCheck: false }
  const config = { compilerOptions, include: ['page.ts'] }
  await writeFile(join(folder, `tsconfig.${name}.json`), JSON.stringify(config))
  const words = ['--singleThreaded', '--project', `tsconfig.${name}.json`]
  const failed = await run(join(root, 'node_modules/.bin/tsc'), words, folder).catch(error => error)
  t.equal(failed.stdout, '', name)
}

t.test('its types need no other package', async t => {
  await writeFile(join(folder, 'page.ts'), page)
  await compile(t, 'vite', {})
  await compile(t, 'nodenext', { module: 'nodenext', moduleResolution: 'nodenext', target: 'es2024' })
  const node = { types: ['node'], lib: ['es2024'], typeRoots: [join(root, 'node_modules/@types')] }
  await compile(t, 'node', { ...node, module: 'nodenext', moduleResolution: 'nodenext' })
})

t.test('Vite builds a page with it, which loads little', async t => {
  const source = join(folder, 'page')
  await mkdir(source)
  await writeFile(join(source, 'index.html'), '<script type="module" src="main.js"></script>')
  await writeFile(
    join(source, 'main.js'),
    `import { createClient } from 'product-templates-client'
globalThis.client = createClient({ url: 'https://a.example', auth: 'token' })`
  )
  await build({
    root: source,
    configFile: false,
    logLevel: 'error'
  })
  const assets = join(source, 'dist/assets')
  const [file = '', ...more] = await readdir(assets)
  t.same(more, [])
  const code = await readFile(join(assets, file))
  const [gzip, brotli] = [gzipSync(code).length, brotliCompressSync(code).length]
  t.ok(gzip > 1000 && gzip <= maxBundle.gzip, `${gzip} bytes`)
  t.ok(brotli <= maxBundle.brotli, `${brotli} bytes`)
})

t.test('a program imports it', async t => {
  const code = `const { createClient } = await import('product-templates-client')
const client = createClient({ url: 'http://127.0.0.1:1', auth: 'fixed' })
console.log(await client.token(), Object.keys(await import('product-templates-client/introspection')))`
  const words = ['--input-type=module', '--eval', code]
  t.equal((await run(process.execPath, words, folder)).stdout, 'fixed []\n')
})
