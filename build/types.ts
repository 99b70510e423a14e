/** Deletes the types in `dist` that no entry point of the package reaches, so that npm packs only the others. */
import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

process.chdir(join(import.meta.dirname, '..'))

const reached = new Set<string>()

function follow(path: string): void {
  if (reached.has(path)) return
  reached.add(path)
  const imports = readFileSync(path, 'utf8').matchAll(
    /\b(?:from |import |import\()['"](\.[^'"]+)\.[jt]s['"]/g
  )
  for (const [, target = ''] of imports) follow(join(path, '..', `${target}.d.ts`))
}

const entries = Object.values<{ types?: string }>(JSON.parse(readFileSync('package.json', 'utf8')).exports)
for (const { types } of entries) if (types) follow(join(types))
for (const path of globSync('dist/**/*.d.ts')) if (!reached.has(path)) rmSync(path)
