/** Tells whether the explorer in the cache is built from the present sources. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from './files.ts'

const root = join(import.meta.dirname, '..')
/** The folder of the build, from the top of the checkout. */
export const cache = 'node_modules/.cache/product-templates/explorer'
/** The folder of the page with GraphiQL, which has packages of its own. */
export const ide = 'explorer/ide'
const sources = [
  'build/explorer*.ts',
  'packages/client/*.ts',
  'db/accounts/rights.ts',
  'db/text.ts',
  'db/templates/table/*.ts',
  'db/templates/metadata/ipfs.ts',
  'db/templates/validation/*.ts',
  'examples/*.*',
  'explorer/**/*.*',
  'graphql/schema.graphql',
  'json-values.ts',
  'options/{lists,nearest}.ts',
  'package-lock.json',
  'semaphore.ts',
  'spreadsheets/*.ts'
]

/** Lists the sources, from the top of the checkout. */
export function listSources(): string[] {
  return globSync(sources, { cwd: root, exclude: [`${ide}/node_modules`] })
}

/** Computes the version: the digest of the sources. */
export function computeVersion(): string {
  const digest = createHash('sha256')
  for (const path of listSources().sort()) digest.update(path).update(readFileSync(join(root, path)))
  return digest.digest('hex')
}

/** Ends the version of a build without GraphiQL. */
export const withoutIde = ' without GraphiQL'

/** Reads the version of the last build, and the names of its files. */
export function readBuilt(): { version: string; names: string[] } {
  const [version = '', ...names] =
    readIfThere(join(root, cache, 'version'))
      ?.toString()
      .split('\n') ?? []
  return { version, names }
}

/** Whether nothing has to be built. */
export function isCurrent({ needsIde }: { needsIde: boolean }): boolean {
  const built = readBuilt().version
  return (needsIde ? built : built.replace(withoutIde, '')) === computeVersion()
}
