/** Tells whether the explorer in the cache is built from the present sources. */
import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from './files.ts'

const root = join(import.meta.dirname, '..')
/** The folder of the build, from the top of the checkout. */
export const cache = 'node_modules/.cache/product-templates/explorer'
/** The folder of the page with GraphiQL, which has packages of its own. */
export const ide = 'explorer/ide'

/** What a build depends on besides its modules. */
const otherSources = [
  'build/explorer-version.ts',
  'build/explorer.ts',
  'explorer/ide/package-lock.json',
  'explorer/mark.svg',
  'explorer/vite.config.ts',
  'package-lock.json'
]
/** The modules that are found by their names: a new one is in no build yet. */
const foundModules = [
  'examples/*.{graphql,json}',
  'features/*/{admin.tsx,explorer.ts}',
  'features/*/explorer/column-forms.ts'
]

/** Computes the version of a build with these modules: the digest of what it depends on. */
export function computeVersion(modules: string[]): string {
  const sources = new Set([...modules, ...otherSources, ...globSync(foundModules, { cwd: root })])
  const digest = createHash('sha256')
  for (const path of [...sources].sort()) digest.update(path).update(readIfThere(join(root, path)) ?? '')
  return digest.digest('hex')
}

/** Ends the version of a build without GraphiQL. */
export const withoutIde = ' without GraphiQL'

/** Reads the version of the last build, the names of its files, and its modules. */
export function readBuilt(): { version: string; names: string[]; modules: string[] } {
  const read = (name: string) =>
    readIfThere(join(root, cache, name))
      ?.toString()
      .split('\n') ?? []
  const [version = '', ...names] = read('version')
  return { version, names, modules: read('modules') }
}

/** Whether nothing has to be built. */
export function isCurrent({ needsIde }: { needsIde: boolean }): boolean {
  const { version, modules } = readBuilt()
  return (needsIde ? version : version.replace(withoutIde, '')) === computeVersion(modules)
}
