/**
 * Puts libraries into a few files of `dist/libraries` and lets `dist` import those. Most are development dependencies:
 * users need not install them and what they depend on. Kysely and TypeBox stay dependencies, because the types of this
 * package name theirs; as packages they are a thousand small files, which take a third of the time to start and 20 MiB
 * (`npm run bench:footprint`). Each file begins with the licences of what is in it, and `packages.json` lists that.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { build, type Metafile } from 'esbuild'

/** What `dist` imports of each library. Code that two of a line need is in the bundle once. */
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

/** What a bundle of CommonJS needs to load the modules of Node.js. */
const requireModule = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);\n"

const bundled = new Map(
  libraries.flat().map(specifier => [specifier, `${specifier.replace(/\.js$/, '')}.js`])
)

rmSync(folder, { recursive: true, force: true })
const packages = new Set((await Promise.all(libraries.map(bundle))).flat().sort())
writeFileSync(`${folder}/packages.json`, `${JSON.stringify([...packages].map(readManifest), null, 2)}\n`)
for (const path of globSync('dist/**/*.js').filter(path => !path.startsWith(folder))) rewriteImports(path)

/** Bundles one line of {@link libraries} and returns the folders of the packages in it. */
async function bundle(specifiers: string[]): Promise<string[]> {
  const { outputFiles, metafile } = await build({
    entryPoints: specifiers.map(specifier => ({ in: specifier, out: specifier.replace(/\.js$/, '') })),
    outdir: folder,
    chunkNames: `${specifiers[0]}/[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node22.18',
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    write: false
  })
  return outputFiles.flatMap(({ path, text }) => {
    const sources = listPackages(metafile.outputs[relative('', path)])
    const start = text.includes('typeof require') ? requireModule : ''
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `/*!\n${sources.map(readLicence).join('\n')}*/\n${start}${text}`)
    return sources
  })
}

/** Lists the folders of the packages that a bundle has code of. */
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

/** Lets a file of `dist` import the bundles. */
function rewriteImports(path: string): void {
  const code = readFileSync(path, 'utf8')
  const rewritten = code.replace(/(\bfrom |\bimport\()'([^']+)'/g, (found, before, specifier) => {
    const bundle = bundled.get(specifier)
    if (bundle === undefined) return found
    const target = relative(dirname(path), `${folder}/${bundle}`)
    return `${before}'${target.startsWith('.') ? target : `./${target}`}'`
  })
  if (rewritten !== code) writeFileSync(path, rewritten)
}
