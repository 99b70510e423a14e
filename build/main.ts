/**
 * Builds `dist`: the modules as JavaScript with their types, the documented options, the files that the modules read,
 * and the explorer. `tsc` compiles changed modules into a copy of `dist`; then changed files are moved into place.
 * Nothing is deleted. So two builds may run at once, and a running service still finds the modules that it loads later.
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

/** At the same depth as `dist`, because the compiler's state contains relative paths. */
const staging = `dist.${randomUUID()}`
/** The state of the compiler. It is moved last, so that it never describes missing files. */
const state = 'build.tsbuildinfo'
/** Paths that are not copied with the modules. */
const skipped = new Set(['dist/explorer', `dist/${state}`])
/** Files that the modules read. */
const data = [
  ...globSync('{graphql,features/*}/*.graphql'),
  'domain/template.schema.json',
  'routes/oauth/pages/style.css',
  'seeds/demo.json'
]

try {
  mkdirSync(staging)
  // Copied before the modules: a state that is newer than the modules would hide their changes.
  if (existsSync(`dist/${state}`)) cpSync(`dist/${state}`, `${staging}/${state}`)
  if (existsSync('dist')) cpSync('dist', staging, { recursive: true, filter: path => !skipped.has(path) })
  const project = ['--project', 'build/tsconfig.dist.json', '--singleThreaded']
  const outputs = ['--outDir', staging, '--tsBuildInfoFile', `${staging}/${state}`]
  execFileSync('node_modules/.bin/tsc', [...project, ...outputs], { stdio: 'inherit' })
  const declarations = `${staging}/options/index.d.ts`
  writeFileSync(declarations, documentOptions(readFileSync(declarations, 'utf8')))
  // As in an installed package: not every installer makes commands executable.
  chmodSync(`${staging}/cli/main.js`, 0o755)
  for (const path of data) cpSync(path, `${staging}/${path}`)
  const modules = globSync('**/*.{js,d.ts}', { cwd: staging })
  moveChanged([...data, ...modules, state], { from: staging, to: 'dist' })
} finally {
  rmSync(staging, { recursive: true, force: true })
}
await import('./explorer.ts')
