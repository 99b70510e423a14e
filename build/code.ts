/**
 * Puts our own modules into few files: the 340 that `serve` needs take a tenth of the time to start and 3 MiB
 * (`npm run bench:footprint`). A module is in one file only, whoever imports it, and what is imported lazily stays in
 * files of its own. Functions keep their names, and a comment names each module, so that stack traces can be read.
 */
import { dirname, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { format, type Output } from './libraries.ts'

/** What users import and run, and the main files of threads and processes. */
const entries = [
  'index',
  'plugins/index',
  'store',
  'testing',
  'client/index',
  'client/introspection',
  'cli/main',
  'cli/serve/workers/worker-main',
  'db/dialects/sqlite/background-worker',
  'db/backup/copy-worker'
]
/** Where all modules but these are: at the depth that `files/locate.ts` supposes. */
const folder = 'modules'

/** Stands before the path of a bundle until it is known which file imports it. */
const mark = 'bundle:'

const importBundles = (bundles: ReadonlyMap<string, string>): Plugin => ({
  name: 'bundled-libraries',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      const bundle = bundles.get(path)
      return { path: bundle === undefined ? path : mark + bundle, external: true }
    })
  }
})

/** Bundles the code into files of a folder. Libraries that are not in `bundles`, by specifier, are imported as packages. */
export async function bundleCode(outdir: string, bundles: ReadonlyMap<string, string>): Promise<Output[]> {
  const { outputFiles } = await build({
    ...format,
    entryPoints: entries.map(entry => ({ in: `${entry}.ts`, out: entry })),
    outdir,
    chunkNames: `${folder}/[name]-[hash]`,
    plugins: [importBundles(bundles)]
  })
  return outputFiles.map(({ path, text }) => {
    if (text.includes('import.meta') && !dirname(path).endsWith(`${outdir}/${folder}`))
      throw new Error(`${path} cannot locate files from there`)
    return { path, text: text.replaceAll(/"bundle:([^"]+)"/g, (_, bundle) => `"${pathFrom(path, bundle)}"`) }
  })
}

function pathFrom(file: string, bundle: string): string {
  const path = relative(dirname(file), bundle)
  return path.startsWith('.') ? path : `./${path}`
}
