/**
 * Puts libraries into a few files of `dist/libraries`. They are development dependencies: users need not install them and
 * what they depend on. Kysely alone stays a dependency, because the types of this package name its types. Kysely and
 * TypeBox are a thousand small files, which take a third of the time to start and 20 MiB (`npm run bench:footprint`). Each
 * file begins with the licences of what is in it, and `packages.json` lists that.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'

/** What our code imports of each library. Code that two of a line need is in the bundle once. */
const libraries = [
  ['kysely', 'kysely/migration'],
  ['typebox', 'typebox/compile', 'typebox/value'],
  ['@clack/prompts', 'fast-string-truncated-width'],
  ['@fastify/rate-limit'],
  ['@streamparser/json'],
  ['@zxcvbn-ts/core', '@zxcvbn-ts/language-common'],
  ['close-with-grace'],
  ['commander'],
  ['csv-parse'],
  ['csv-stringify/sync'],
  ['diff'],
  ['jose'],
  ['leven'],
  ['pino-pretty'],
  ['prom-client/lib/registry.js']
]
const folder = 'dist/libraries'

/** Where the bundle of each specifier is. */
export const bundles: ReadonlyMap<string, string> = new Map(
  libraries.flat().map(specifier => [specifier, `${folder}/${specifier.replace(/\.js$/, '')}.js`])
)

/** How all code is bundled: modules with names as they are, and what several bundles need in a file of its own. */
export const format = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.18',
  legalComments: 'none',
  metafile: true,
  write: false
} satisfies BuildOptions

/** What a bundle of CommonJS needs to load the modules of Node.js. */
const requireModule = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);\n"

/** A file to write. */
export interface Output {
  path: string
  text: string
}

export async function bundleLibraries(): Promise<Output[]> {
  const made = (await Promise.all(libraries.map(bundle))).flat()
  const packages = new Set(made.flatMap(({ packages }) => packages).sort())
  const list = [...packages].map(readManifest)
  return [...made, { path: `${folder}/packages.json`, text: `${JSON.stringify(list, null, 2)}\n` }]
}

/** Bundles one line of {@link libraries}. Returns the folders of the packages that each file has code of, too. */
async function bundle(specifiers: string[]): Promise<(Output & { packages: string[] })[]> {
  const { outputFiles, metafile } = await build({
    ...format,
    entryPoints: specifiers.map(specifier => ({ in: specifier, out: specifier.replace(/\.js$/, '') })),
    outdir: folder,
    chunkNames: `${specifiers[0]}/[hash]`,
    mainFields: ['module', 'main'],
    minifyWhitespace: true
  })
  return outputFiles.map(({ path, text }) => {
    const packages = listPackages(metafile.outputs[relative('', path)])
    const start = text.includes('typeof require') ? requireModule : ''
    return { path, packages, text: `/*!\n${packages.map(readLicence).join('\n')}*/\n${start}${text}` }
  })
}

function listPackages(output: Metafile['outputs'][string] | undefined): string[] {
  const paths = [output?.entryPoint ?? [], Object.keys(output?.inputs ?? {})].flat()
  return [
    ...new Set(paths.map(path => path.replace(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+).*$/, '$1')))
  ].sort()
}

function readLicence(path: string): string {
  const names = readdirSync(path).filter(name => /^(licen[cs]e|notice)/i.test(name))
  if (!names.some(name => /^licen/i.test(name))) throw new Error(`${path} has no file with its licence`)
  const { name, version } = readManifest(path)
  return `${name} ${version}\n\n${names.map(name => readFileSync(`${path}/${name}`, 'utf8')).join('\n')}`
}

function readManifest(path: string): { name: string; version: string; license: string } {
  const { name, version, license } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8'))
  return { name, version, license }
}
