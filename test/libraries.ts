/**
 * Bundles libraries into a few files. As packages they are a thousand small files, which take most of the loading time
 * of the many test processes.
 */
import { fileURLToPath } from 'node:url'

/**
 * The libraries that the code and the tests import, each as one file in {@link folder}. One file each, because two
 * instances of a library would not work together.
 */
const specifiers = [
  '@fastify/basic-auth',
  '@fastify/formbody',
  '@fastify/jwt',
  '@fastify/rate-limit',
  '@opentelemetry/api',
  'ajv/dist/2020.js',
  'fast-check',
  'fastify',
  'fastify-plugin',
  'graphql',
  'graphql/execution/collectFields.js',
  'kysely',
  'kysely/migration',
  'mercurius',
  'pg',
  'pino',
  'prom-client'
]
const packages = new Set(specifiers.map(readPackage))
const folder = new URL('../node_modules/.cache/product-templates-libraries/', import.meta.url)
const root = fileURLToPath(new URL('../', import.meta.url))

/** A file to preload into a process so that it imports the bundles. */
export const useLibraries = fileURLToPath(new URL('use-libraries.ts', import.meta.url))

/**
 * Returns the URL of a specifier's bundle; undefined if there is none. Throws if our code imports an unknown part of a
 * bundled library.
 */
export function findBundle(specifier: string, importer = ''): string | undefined {
  if (specifiers.includes(specifier)) return new URL(nameFile(specifier), folder).href
  if (packages.has(readPackage(specifier)) && !importer.includes('/node_modules/'))
    throw new Error(`${specifier} is not in test/libraries.ts`)
  return undefined
}

/** Returns the package of a specifier. */
function readPackage(specifier: string): string {
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''
}

const nameFile = (specifier: string): string => `${specifier.replace(/\.js$/, '')}.mjs`

export async function bundleLibraries(): Promise<void> {
  // Imported here, because every test process loads this file.
  const { build } = await import('esbuild')
  const entries = new Map(
    await Promise.all(
      specifiers.map(async specifier => [nameFile(specifier), await reexport(specifier)] as const)
    )
  )
  await build({
    entryPoints: [...entries.keys()].map(file => ({ in: file, out: file.replace(/\.mjs$/, '') })),
    outExtension: { '.js': '.mjs' },
    outdir: fileURLToPath(folder),
    chunkNames: 'shared/[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    external: ['pg-native', 'pino-pretty'],
    // Variables that only CommonJS modules have.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'
const require = makeRequire(import.meta.url), { filename: __filename, dirname: __dirname } = import.meta`
    },
    plugins: [
      {
        name: 'entries',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^/ }, ({ path, kind }) =>
            kind === 'entry-point' ? { path, namespace: 'entry' } : undefined
          )
          onLoad({ filter: /^/, namespace: 'entry' }, ({ path }) => ({
            contents: entries.get(path) ?? '',
            resolveDir: root
          }))
        }
      }
    ]
  })
}

/** Writes a module with the exports that Node.js finds in a library, which may be CommonJS. */
async function reexport(specifier: string): Promise<string> {
  const names = Object.keys(await import(specifier))
  const isCommon = names.includes('module.exports')
  return [
    `export { ${names.filter(name => name !== 'module.exports').join(', ')} } from '${specifier}'`,
    // The value that `require` returns.
    isCommon
      ? `import whole from '${specifier}'; const required = whole; export { required as 'module.exports' }`
      : ''
  ].join('\n')
}
