// Runs on SQLite only.
/** Compares the documents with the code, and runs their commands on a service. */
import { exec } from 'node:child_process'
import { existsSync, globSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { t } from 'tap'
import { generateDocuments, readDocument } from '../build/docs.ts'
import { grantTypes } from '../domain/rights.ts'
import { productTemplates } from '../index.ts'
import { listEndpoints } from '../routes/index.ts'
import { scrape } from './metrics/scrape.ts'
import { databaseUrl } from './support/database/database.ts'
import { pages, readBlock } from './support/documents.ts'
import { query } from './support/http/http.ts'
import { run, serve } from './support/service/process.ts'
import { host } from './support/service/service.ts'

const sh = promisify(exec)
const root = new URL('../', import.meta.url).pathname
const readme = readDocument('README.md')

t.test('the tables match the code; `npm run docs` writes them', async t => {
  for (const [name, text] of Object.entries(generateDocuments())) t.equal(readDocument(name), text, name)
})

t.test('documents and comments name files that exist, and no merge is left in documents', async t => {
  const exclude = ['**/node_modules', '**/dist', '**/.*']
  const files = globSync('**/*.{ts,tsx,graphql}', { cwd: root, exclude })
  const isMissing = (path: string) =>
    !path.includes('node_modules') && !files.some(file => `/${file}`.endsWith(`/${path}`))
  const names = [...pages, 'CONTRIBUTING.md']
  t.ok(names.length > 10)
  for (const name of names) {
    const text = readDocument(name)
    t.notMatch(text, /^(<{7}|>{7}) /m, name)
    const named = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|graphql))`/g)].map(([, path]) => path as string)
    t.same(named.filter(isMissing), [], name)
  }
  for (const name of files) {
    const comments = readDocument(name).match(/^\s*(?:\*|\/\*\*|\/\/|#) .*/gm) ?? []
    const named = comments.flatMap(line => line.match(/[\w-][\w./-]*\.(?:ts|tsx|graphql)\b/g) ?? [])
    t.same(named.filter(isMissing), [], name)
  }
})

t.test('the endpoint table has every route of the service', async t => {
  const app = host(t)
  const routes = new Set<string>()
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) routes.add(`${name} ${url}`)
  })
  const optional = {
    explorer: true,
    mcp: true,
    metrics: true,
    passkeys: true,
    issuer: 'https://templates.example'
  }
  await app.register(productTemplates, { database: 'sqlite::memory:', ...optional })
  await app.ready()
  const endpoints = await listEndpoints()
  const paths = new Set([...routes].map(route => route.split(' ')[1]))
  t.same([...paths].sort(), endpoints.map(({ path }) => path).sort())
  for (const { path, methods } of endpoints)
    for (const method of Object.keys(methods)) t.ok(routes.has(`${method} ${path}`))
})

t.test('documents are short, for readers in a hurry', async t => {
  const sizeOf = (name: string) => statSync(join(root, name)).size
  t.ok(sizeOf('README.md') <= 9 * 1024)
  const texts = readdirSync(join(root, 'docs')).filter(name => !name.endsWith('.png'))
  t.same(
    texts.filter(name => !name.endsWith('.md')),
    []
  )
  const size = texts.reduce((sum, name) => sum + sizeOf(`docs/${name}`), 0)
  t.ok(size <= 130 * 1024, `${size} bytes`)
  t.ok(readDocument('docs/architecture.md').split('\n').length <= 121, '120 lines')
})

t.test('links of documents lead to files and headings that exist, and the map has each page', async t => {
  const more = ['CONTRIBUTING.md', 'packages/client/README.md', ...globSync('deploy/**/*.md', { cwd: root })]
  for (const name of [...pages, ...more]) {
    const links = [...withoutCode(readDocument(name)).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link]) => link as string
    )
    for (const link of links.filter(link => !/^\w+:/.test(link))) {
      const [path = '', heading] = link.split('#')
      const file = path ? join(dirname(name), path) : name
      t.ok(existsSync(join(root, file)), `${name}: ${link}`)
      if (heading) t.ok(headingsOf(file).includes(heading), `${name}: ${link}`)
    }
  }
  const map = readDocument('docs/README.md')
  for (const name of pages.filter(name => name.startsWith('docs/') && name !== 'docs/README.md'))
    t.ok(map.includes(`](${name.slice('docs/'.length)})`), name)
})

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '')

/** The headings of a document as GitHub writes them in links. */
const headingsOf = (name: string): string[] =>
  [...withoutCode(readDocument(name)).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-')
  )

t.test('the curl lines of the README work, and answer what it shows', async t => {
  const service = await serve(t, ['--demo'], {
    DATABASE_URL: await databaseUrl(t)
  })
  await service.line('stderr', /^curl .*\/graphql$/)
  const paste = async (lines: string) =>
    JSON.parse((await sh(lines.replaceAll('http://127.0.0.1:3000', service.url))).stdout)

  const token = await paste(readBlock('run: token'))
  const shown = JSON.parse(readBlock('shape: token'))
  t.same(Object.keys(token), Object.keys(shown))
  for (const name of [
    'token_type',
    'expires_in',
    'scope',
    'first_name',
    'last_name',
    'country',
    'mobile',
    'wallets'
  ]) {
    t.same(token[name], shown[name], name)
  }
  const answer = await paste(readBlock('run: query'))
  t.same(answer.data.allProducts[0], JSON.parse(readBlock('shape: query')).data.allProducts[0])
  t.equal(answer.data.allProducts.length, 12)
  const whole = await query(service.url, token.access_token, readBlock('run: template'))
  t.same(whole.body, JSON.parse(readBlock('shape: template')))
  const page = await query(service.url, token.access_token, readBlock('run: page'))
  t.same(page.body, JSON.parse(readBlock('shape: page')))
  const written = await query(service.url, token.access_token, readBlock('run: write'))
  t.same(written.body, JSON.parse(readBlock('shape: write')))
})

t.test('the load test of the documents runs, with and without kept responses', async t => {
  const [setting = ''] = readBlock('run: unkept').split(' ')
  for (const env of [{}, Object.fromEntries([setting.split('=')])]) {
    const service = await serve(t, ['--demo'], { DATABASE_URL: await databaseUrl(t), ...env })
    const [token] = readBlock('run: query').split('\n')
    const lines = `${token}\n${readBlock('run: load')}`.replaceAll('http://127.0.0.1:3000', service.url)
    const shortened = lines.replace('-d 10', '-d 1 --json')
    const { stdout } = await sh(shortened)
    t.match(JSON.parse(stdout), { '2xx': Number, non2xx: 0, errors: 0 })
    t.ok(JSON.parse(stdout)['2xx'] > 0)
    const hits = (await scrape(`${service.url}/metrics`)).sum('responses_kept_hits_total')
    t.equal(hits > 0, Object.keys(env).length === 0)
  }
})

t.test('the first commands of the README are blocks of their own', async t => {
  const lines = [...readme.matchAll(/^```sh\n([^`]*)\n```/gm)].map(([, text]) => text)
  t.same(lines.slice(0, 2), ['npm ci && npm start', 'npm ci && npm test'])
})

t.test('the endpoints and the schema name every grant', async t => {
  const [, row = ''] = readDocument('docs/endpoints.md').match(/^\| POST \| `\/oauth\/token` (.*)$/m) ?? []
  const schema = readDocument('graphql/schema.graphql')
  const [, input = ''] = schema.match(/input AddClientInput \{[^}]*"([^"]*)"\n {2}grantTypes:/) ?? []
  for (const grant of grantTypes) {
    t.match(row, new RegExp(`\\b${grant}\\b`))
    t.match(input, `\`${grant}\``)
  }
})

t.test('the documents name every command', async t => {
  const commands = readDocument('docs/commands.md')
  const { stdout } = await run(t, ['complete', '--', ''])
  const names = stdout.match(/^\w+/gm) ?? []
  t.ok(names.length > 10, `${names}`)
  for (const name of names) t.match(commands, new RegExp(`^product-templates ${name} {2,}\\w`, 'm'))
})

t.test('every id in docs/security.md is in the title of a test', async t => {
  const folders = [
    'conformance/oauth',
    'conformance/authorize',
    'conformance/graphql',
    'cli',
    'graphql',
    'graphql/admin',
    'clients'
  ]
  const files = globSync([...folders.map(name => `test/${name}/*.test.ts`), 'features/*/test/*.test.ts'], {
    cwd: root
  })
  const titles = files.flatMap(file => readDocument(file).match(/t\.test\(\s*['"`](.*)/g) ?? [])
  const proven = new Set(titles.flatMap(rowsOf))
  const promised = readDocument('docs/security.md')
    .split('\n')
    .filter(line => line.startsWith('|'))
    .flatMap(rowsOf)
  t.ok(promised.length > 100, `${promised.length} rows`)
  t.same(
    promised.filter(row => !proven.has(row)),
    []
  )
})

/** The ids in a title: `T04`, and all ids of the range `G01-G03`. */
function rowsOf(text: string): string[] {
  return [...text.matchAll(/\b([A-Z])(\d\d)(?:-\1(\d\d))?\b/g)].flatMap(([, group, first, last = first]) => {
    const [from, to] = [Number(first), Number(last)]
    return Array.from(
      { length: to - from + 1 },
      (_, index) => `${group}${String(from + index).padStart(2, '0')}`
    )
  })
}
