/**
 * Kysely and TypeBox in a few files, as `npm run build` puts them into `dist`: as packages they are a thousand small
 * files, and loading those takes each of the many processes of the tests longer than all else that it loads.
 */
import { fileURLToPath } from 'node:url'

/** What the code and the tests import, each as a file of {@link folder}. Two instances of one library would differ. */
const specifiers = ['kysely', 'kysely/migration', 'typebox', 'typebox/compile', 'typebox/value']
const folder = new URL('../node_modules/.cache/product-templates-libraries/', import.meta.url)

/** Preloaded into a process, it lets that import the bundles. */
export const useLibraries = fileURLToPath(new URL('use-libraries.ts', import.meta.url))

/** The URL of the bundle of a specifier; undefined if it is in none. Throws for an unknown part of a bundled library. */
export function findBundle(specifier: string): string | undefined {
  if (specifiers.includes(specifier)) return new URL(`${specifier}.js`, folder).href
  if (/^(kysely|typebox)(\/|$)/.test(specifier)) throw new Error(`${specifier} is not in test/libraries.ts`)
  return undefined
}

export async function bundleLibraries(): Promise<void> {
  // Only here, because every process of the tests loads this file.
  const { build } = await import('esbuild')
  for (const library of ['kysely', 'typebox'])
    await build({
      entryPoints: specifiers
        .filter(specifier => specifier.split('/')[0] === library)
        .map(specifier => ({ in: specifier, out: specifier })),
      outdir: fileURLToPath(folder),
      chunkNames: `${library}/[hash]`,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node'
    })
}
