/**
 * Builds `dist` from the sources and from the types that `tsc` has written. It is not emptied before: a service that runs
 * from it finds what it loads later, unless the code has changed.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { bundleCode } from './code.ts'
import { bundleLibraries, bundles } from './libraries.ts'
import { collectTypes } from './types.ts'

process.chdir(new URL('../', import.meta.url).pathname)
const outputs = (await Promise.all([bundleLibraries(), bundleCode('dist', bundles), collectTypes()])).flat()
for (const path of ['graphql/schema.graphql', 'docs/template.schema.json'])
  outputs.push({ path: `dist/${path}`, text: readFileSync(path, 'utf8') })

for (const { path, text } of outputs) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const written = new Set(outputs.map(({ path }) => relative('', path)))
for (const path of globSync('dist/**/*.*'))
  if (!written.has(path) && !path.startsWith('dist/explorer/')) rmSync(path, { force: true })
await import('./explorer.ts')
