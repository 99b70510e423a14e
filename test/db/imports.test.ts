/** Imports go one way: `db` knows nothing above it, a dialect nothing of templates, and no files import each other. */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { t } from 'tap'

const { dirname, join } = posix
const root = new URL('../../', import.meta.url)
const files = globSync('db/**/*.ts', { cwd: root })

/** The files that each file of `db` imports, types included. */
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

t.test('nothing in db imports what is above it', async t => {
  t.same(importsInto('db/', 'cli/', 'routes/', 'plugins/', 'graphql/', 'accounts/', 'credentials/'), [])
  t.same(importsInto('db/dialects/', 'db/templates/', 'db/accounts/', 'db/backup/'), [])
})

t.test('no files of db import each other in a circle', async t => {
  const left = new Map(imports)
  // Without those that import nothing that is left, only circles and what leads to them remain.
  const isFree = ([, imported]: readonly [string, string[]]) => !imported.some(path => left.has(path))
  for (let free = [...left].filter(isFree); free.length > 0; free = [...left].filter(isFree))
    for (const [file] of free) left.delete(file)
  t.same([...left.keys()], [])
})
