/**
 * The types of what users import: those of the entry points of package.json, and the ones that they name. TypeBox, which
 * users do not install, is replaced by build/typebox.d.ts.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Output } from './libraries.ts'

/** Where `tsc` writes the types of all modules. */
const compiled = 'node_modules/.cache/product-templates/types'

export function collectTypes(): Output[] {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
  const outputs = new Map<string, Output>()
  for (const { types } of Object.values<{ types?: string }>(exports)) if (types) add(types, outputs)
  const typebox = { path: 'dist/libraries/typebox.d.ts', text: readFileSync('build/typebox.d.ts', 'utf8') }
  return [...outputs.values(), typebox]
}

/** Adds a file of `dist` and the files that it imports. */
function add(path: string, outputs: Map<string, Output>): void {
  const key = join(path)
  if (outputs.has(key)) return
  const typebox = relative(dirname(key), 'dist/libraries/typebox.js').replace(/^(?!\.)/, './')
  const text = readFileSync(join(compiled, key.replace(/^dist/, '')), 'utf8').replaceAll(
    /(?<=(from |import\()(['"]))typebox(?=\2)/g,
    typebox
  )
  outputs.set(key, { path: key, text })
  for (const [, target = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)\.ts'/g))
    add(`${join(key, '..', target)}.d.ts`, outputs)
}
