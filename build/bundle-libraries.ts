/**
 * Puts Kysely and TypeBox into a few files of `dist/libraries` and lets `dist` import those. As packages they are a
 * thousand small files, which take a third of the time to start and 20 MiB (`npm run bench:footprint`). They stay
 * dependencies: the types of this package name theirs.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { build } from 'esbuild'

/** What `dist` imports of a library, and the licence that a copy of it must carry. */
const libraries = [
  { specifiers: ['kysely', 'kysely/migration'], licence: 'node_modules/kysely/LICENSE' },
  { specifiers: ['typebox', 'typebox/compile', 'typebox/value'], licence: 'node_modules/typebox/license' }
]
const folder = 'dist/libraries'

for (const { specifiers, licence } of libraries)
  await build({
    entryPoints: specifiers.map(specifier => ({ in: specifier, out: specifier })),
    outdir: folder,
    chunkNames: `${specifiers[0]}/[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    minifyWhitespace: true,
    banner: { js: `/*!\n${readFileSync(licence, 'utf8')}*/` }
  })

const bundled = new Set(libraries.flatMap(({ specifiers }) => specifiers))
for (const path of globSync('dist/**/*.js').filter(path => !path.startsWith(folder))) {
  const code = readFileSync(path, 'utf8')
  const rewritten = code.replace(/(\bfrom |\bimport\()'([^']+)'/g, (found, before, specifier) => {
    if (!bundled.has(specifier)) return found
    const target = relative(dirname(path), `${folder}/${specifier}.js`)
    return `${before}'${target.startsWith('.') ? target : `./${target}`}'`
  })
  if (rewritten !== code) writeFileSync(path, rewritten)
}
const left = globSync('dist/**/*.js').filter(
  path => !path.startsWith(folder) && /(from |import\()'(kysely|typebox)[/']/.test(readFileSync(path, 'utf8'))
)
if (left.length > 0) throw new Error(`bundle what these files import, too: ${left.join(', ')}`)
