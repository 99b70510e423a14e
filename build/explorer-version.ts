/** Tells whether the explorer in the cache is built from the present sources. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from './files.ts'

const root = join(import.meta.dirname, '..')
/** The folder of the build, from the top of the checkout. */
export const cache = 'node_modules/.cache/product-templates/explorer'
/** The folder of the page with GraphiQL, which has packages of its own. */
export const ide = 'explorer/ide'
/** Folders of sources, without their subfolders. */
const sourceFolders = ['domain', 'domain/validation', 'examples', 'packages/client']
const sourceFiles = [
  'build/explorer-version.ts',
  'build/explorer.ts',
  'graphql/schema.graphql',
  'package-lock.json',
  'runtime/characters.ts',
  'runtime/exact-json.ts',
  'runtime/json-values.ts',
  'runtime/lists.ts',
  'runtime/nearest.ts',
  'runtime/semaphore.ts'
]

/** Lists the sources, from the top of the checkout. */
export const listSources = (): string[] => [
  ...sourceFiles,
  ...sourceFolders.flatMap(folder => listFolder(folder).files),
  ...listTree('explorer'),
  ...listFolder('features').folders.flatMap(listFeature)
]

/**
 * Lists what a feature gives to the explorer: its `admin.tsx` and `explorer/`; with an `explorer.ts`, whatever that may
 * import.
 */
function listFeature(folder: string): string[] {
  const { files, folders } = listFolder(folder)
  return files.includes(`${folder}/explorer.ts`)
    ? [...files, ...folders.filter(name => name !== `${folder}/test`).flatMap(listTree)]
    : [
        ...files.filter(name => name === `${folder}/admin.tsx`),
        ...folders.filter(name => name === `${folder}/explorer`).flatMap(listTree)
      ]
}

function listFolder(folder: string): { files: string[]; folders: string[] } {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  const name = (chosen: typeof entries) => chosen.map(entry => `${folder}/${entry.name}`)
  return {
    files: name(entries.filter(entry => entry.isFile())),
    folders: name(entries.filter(entry => entry.isDirectory() && entry.name !== 'node_modules'))
  }
}

/** Lists the files of a folder and its subfolders, but for installed packages. A glob takes ten times as long. */
function listTree(folder: string): string[] {
  const { files, folders } = listFolder(folder)
  return [...files, ...folders.flatMap(listTree)]
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
