import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Test } from 'tap'

const root = new URL('../../', import.meta.url)

/** Where the code of the documents finds the packages' parts; they need no build. */
const sources: [string, string][] = [
  ["'product-templates-client'", "'../../../packages/client/index.ts'"],
  ["'product-templates-client/introspection'", "'../../../packages/client/introspection.ts'"]
]

interface Recipe {
  code: string
  /** The lines that it prints, as the document shows them. */
  output: string[]
}

/** Reads the recipes of packages/client/README.md by name, with the address of a service. */
export function readRecipes(url: string): Map<string, Recipe> {
  const text = readFileSync(new URL('packages/client/README.md', root), 'utf8')
  const pattern = /<!-- run: (\w+) -->\n```ts\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)\n```)?/g
  const found = [...text.matchAll(pattern)].map(([, name = '', code = '', output]): [string, Recipe] => [
    name,
    { code: code.replace('http://127.0.0.1:3000', url), output: output?.split('\n') ?? [] }
  ])
  return new Map(found)
}

/** Writes recipes to files in test/clients, from where they find the packages; returns the folder. */
export function writeRecipes(t: Test, recipes: Map<string, Recipe>): string {
  const folder = mkdtempSync(new URL('test/clients/.recipes-', root).pathname)
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, { code }] of recipes) {
    const text = sources.reduce((text, [from, to]) => text.replace(from, to), code)
    writeFileSync(`${folder}/${name}.ts`, text)
  }
  return folder
}
