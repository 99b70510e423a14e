// Runs on SQLite only.
/** Imports go one way: no layer imports a higher one, no feature imports another, and `db` has no import cycles. */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { t } from 'tap'

const { dirname, join } = posix
const root = new URL('../', import.meta.url)
/** The layers of docs/architecture.md, the highest first, and the entry points. */
const layers = [
  'cli/',
  'seeds/',
  'testing.ts',
  'index.ts',
  'service.ts',
  'store.ts',
  'features/',
  'terminal/',
  'routes/',
  'plugins/',
  'graphql/',
  'accounts/',
  'options/',
  'db/',
  'domain/',
  'runtime/'
]
const folders = layers.filter(layer => layer.endsWith('/')).map(layer => layer.slice(0, -1))
const files = [
  ...layers.filter(layer => layer.endsWith('.ts')),
  ...globSync(`{${folders},explorer}/**/*.{ts,tsx}`, {
    cwd: root,
    exclude: ['**/node_modules', 'features/*/test']
  })
]

/** The files that each file imports, types included. */
const imports = new Map(
  files.map(file => {
    const text = readFileSync(new URL(file, root), 'utf8')
    const paths = [
      ...text.matchAll(/^(?:import|export) .*?from '(\.[^']+)'|^import '(\.[^']+)'|import\('(\.[^']+)'\)/gms)
    ]
    return [file, paths.map(([, ...found]) => join(dirname(file), found.find(Boolean) ?? ''))] as const
  })
)

/** Lists the imports of files below one folder that lead into one of several others. */
const importsInto = (from: string, ...folders: string[]) =>
  [...imports].flatMap(([file, imported]) =>
    imported
      .filter(path => file.startsWith(from) && folders.some(folder => path.startsWith(folder)))
      .map(path => `${file} imports ${path}`)
  )

/**
 * Who reads the list of features from below: the settings, whose types name those of all features, and what also runs
 * without the service, so that nobody above can pass the list.
 */
const readers = [
  'graphql/threads/thread.ts imports features/load.ts',
  'options/index.ts imports features/index.ts',
  'options/index.ts imports features/load.ts',
  'plugins/authentication/tokens.ts imports features/load.ts',
  'plugins/store.ts imports features/database.ts',
  'terminal/store.ts imports features/database.ts'
]

t.test('no layer imports one above it, except where the list of features is read', async t => {
  const found = layers.flatMap((layer, index) => importsInto(layer, ...layers.slice(0, index)))
  t.same(found.toSorted(), readers)
})

t.test('the operation knows nothing of its admission, and admission nothing of the execution', async t => {
  const execution = ['resolvers/', 'threads/', 'execute.ts', 'mercurius.ts'].map(path => `graphql/${path}`)
  t.same(importsInto('graphql/admission/', ...execution), [])
  const known = ['graphql/operation/operation.ts imports graphql/threads/pool.ts']
  t.same(importsInto('graphql/operation/', 'graphql/admission/', ...execution), known)
})

t.test('what a feature gives is data: its code is imported when it is needed', async t => {
  const listed = imports.get('features/index.ts') ?? []
  for (const file of listed) {
    const text = readFileSync(new URL(file, root), 'utf8')
    const loaded = [...text.matchAll(/^import (?!type )[^;]*?from '([^']*)'/gm)].map(([, path = '']) => path)
    t.same(
      loaded.filter(path => !/^\.\.\/\.\.\/(options\/setting|runtime\/.*|domain\/.*)\.ts$/.test(path)),
      [],
      file
    )
  }
})

t.test('no feature imports another one', async t => {
  const features = globSync('features/*/', { cwd: root }).map(path => `${path.replace(/\/$/, '')}/`)
  t.ok(features.length > 10)
  for (const feature of features)
    t.same(importsInto(feature, ...features.filter(other => other !== feature)), [])
})

t.test('the explorer imports what runs in a browser', async t => {
  const above = layers.filter(layer => !['domain/', 'runtime/', 'graphql/'].includes(layer))
  t.same(importsInto('explorer/', ...above), [])
  t.same(importsInto('explorer/', 'graphql/').toSorted(), [
    'explorer/api.ts imports graphql/errors.ts',
    'explorer/ide/ide.tsx imports graphql/schema.graphql?raw'
  ])
  for (const feature of globSync('features/*/', { cwd: root }).map(path => path.replace(/\/?$/, '/')))
    for (const part of ['admin.tsx', 'explorer.ts', 'explorer/'])
      t.same(
        importsInto(`${feature}${part}`, ...above).filter(found => !found.includes(` imports ${feature}`)),
        []
      )
})

t.test('a dialect does not import templates and accounts', async t => {
  t.same(importsInto('db/dialects/', 'db/templates/', 'db/accounts/'), [])
})

t.test('db, domain and runtime have no import cycles', async t => {
  const left = new Map([...imports].filter(([file]) => /^(db|domain|runtime)\//.test(file)))
  // Files that import no remaining file are removed again and again. Only cycles, and files that lead to them, remain.
  const isFree = ([, imported]: readonly [string, string[]]) => !imported.some(path => left.has(path))
  for (let free = [...left].filter(isFree); free.length > 0; free = [...left].filter(isFree))
    for (const [file] of free) left.delete(file)
  t.same([...left.keys()], [])
})
