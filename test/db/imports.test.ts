// Runs on SQLite only.
/** Imports go one way: no layer knows those above it, a dialect knows nothing of templates, and no files of `db` import each other. */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { t } from 'tap'

const { dirname, join } = posix
const root = new URL('../../', import.meta.url)
/** The layers of docs/architecture.md, the highest first. */
const layers = ['cli', 'routes', 'plugins', 'graphql', 'accounts', 'db']
const files = globSync(`{${layers},domain,features,runtime,terminal}/**/*.ts`, { cwd: root })

/** The files that each file imports, types included. */
const imports = new Map(
  files.map(file => {
    const text = readFileSync(new URL(file, root), 'utf8')
    const paths = [...text.matchAll(/^(?:import|export) .*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gms)]
    return [file, paths.map(([, path, dynamic]) => join(dirname(file), path ?? dynamic ?? ''))] as const
  })
)

/** Lists the imports of files below one folder that lead into one of several others. */
const importsInto = (from: string, ...folders: string[]) =>
  [...imports].flatMap(([file, imported]) =>
    imported
      .filter(path => file.startsWith(from) && folders.some(folder => path.startsWith(folder)))
      .map(path => `${file} imports ${path}`)
  )

t.test('no layer imports one above it', async t => {
  for (const [index, layer] of layers.entries())
    for (const above of layers.slice(0, index)) t.same(importsInto(`${layer}/`, `${above}/`), [])
  t.same(importsInto('features/', 'cli/'), [])
  t.same(importsInto('db/', 'features/', 'terminal/'), [])
  t.same(importsInto('db/dialects/', 'db/templates/', 'db/accounts/'), [])
})

t.test('no files of db import each other in a circle', async t => {
  const left = new Map([...imports].filter(([file]) => file.startsWith('db/')))
  // Without those that import nothing that is left, only circles and what leads to them remain.
  const isFree = ([, imported]: readonly [string, string[]]) => !imported.some(path => left.has(path))
  for (let free = [...left].filter(isFree); free.length > 0; free = [...left].filter(isFree))
    for (const [file] of free) left.delete(file)
  t.same([...left.keys()], [])
})
