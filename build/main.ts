/**
 * Builds `dist`: each module as JavaScript with its types, the comments on the options, the files that they read, and the
 * explorer. `tsc` writes what has changed since the last build into a copy of `dist`, from which it is moved into place.
 * Nothing is deleted. So two builds may run at once, and a running service still finds what it loads later.
 */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { moveChanged } from './files.ts'
import { documentOptions } from './options.ts'

process.chdir(join(import.meta.dirname, '..'))

/** As deep as `dist`, because the state of the compiler has relative paths. */
const beside = `dist.${randomUUID()}`
/** The state of the compiler. It is moved last: it says that all else is there. */
const state = 'build.tsbuildinfo'
/** What is not copied with the modules. */
const isOther = new Set(['dist/explorer', `dist/${state}`])
/** What the code reads beside the modules. */
const data = ['graphql/schema.graphql', 'docs/template.schema.json']

try {
  mkdirSync(beside)
  // Before the modules: a state that is newer than them would hide that they have changed.
  if (existsSync(`dist/${state}`)) cpSync(`dist/${state}`, `${beside}/${state}`)
  if (existsSync('dist')) cpSync('dist', beside, { recursive: true, filter: path => !isOther.has(path) })
  const project = ['--project', 'tsconfig.build.json', '--singleThreaded']
  const outputs = ['--outDir', beside, '--tsBuildInfoFile', `${beside}/${state}`]
  execFileSync('node_modules/.bin/tsc', [...project, ...outputs], { stdio: 'inherit' })
  const declarations = `${beside}/options.d.ts`
  writeFileSync(declarations, documentOptions(readFileSync(declarations, 'utf8')))
  // As in the package: not every installer makes the commands of a package executable.
  chmodSync(`${beside}/cli/main.js`, 0o755)
  for (const path of data) cpSync(path, `${beside}/${path}`)
  const modules = globSync('**/*.{js,d.ts}', { cwd: beside })
  moveChanged([...data, ...modules, state], { from: beside, to: 'dist' })
} finally {
  rmSync(beside, { recursive: true, force: true })
}
await import('./explorer.ts')
