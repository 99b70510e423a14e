/**
 * Builds the explorer: flat, and compressed only. What was built stays in a cache, from which it is copied to
 * `dist/explorer`; the service reads it there if its sources run. Builds nothing if what it is made from has not changed.
 * Fails if the first page loads more than it may.
 */
import { createHash, randomUUID } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/** Bytes of the first page with its scripts and styles, as brotli. */
const firstLoad = 120_000
/** Bytes. A longer file is compressed a little less, in a tenth of the time. */
const longFile = 400_000

const cache = 'node_modules/.cache/product-templates/explorer'
const packed = 'dist/explorer'
const sources = [
  'build/explorer.ts',
  'cli/formats/**/*.ts',
  'client/**/*.ts',
  'db/templates/table/document.ts',
  'db/templates/metadata/ipfs.ts',
  'db/templates/validation/*.ts',
  'examples/*.*',
  'explorer/**/*.*',
  'graphql/schema.graphql',
  'options/nearest.ts',
  'package-lock.json'
]
process.chdir(new URL('../', import.meta.url).pathname)

const digest = createHash('sha256')
for (const path of globSync(sources).sort()) digest.update(path).update(readFileSync(path))
const version = digest.digest('hex')
if (readVersion() !== version) await build()
checkFirstLoad()
if (process.argv[2] !== '--cache-only') {
  rmSync(packed, { recursive: true, force: true })
  cpSync(cache, packed, { recursive: true })
}

function readVersion(): string | undefined {
  try {
    return readFileSync(`${cache}/version`, 'utf8')
  } catch {
    return undefined
  }
}

async function build(): Promise<void> {
  const vite = await import('vite')
  const folder = `${cache}.${randomUUID()}`
  mkdirSync(folder, { recursive: true })
  await vite.build({ configFile: 'explorer/vite.config.ts', build: { outDir: `../${folder}/unpacked` } })
  for (const path of globSync(`${folder}/unpacked/**/*.*`)) compressFile(path, `${folder}/${nameOf(path)}`)
  rmSync(`${folder}/unpacked`, { recursive: true })
  writeFileSync(`${folder}/version`, version)
  rmSync(cache, { recursive: true, force: true })
  renameSync(folder, cache)
}

/** `ide/index.html` is `ide.html`; all others have names of their own. */
function nameOf(path: string): string {
  return path.endsWith('/ide/index.html') ? 'ide.html' : basename(path)
}

function compressFile(path: string, to: string): void {
  const bytes = readFileSync(path)
  const quality = bytes.length > longFile ? 9 : constants.BROTLI_MAX_QUALITY
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
  }
  writeFileSync(`${to}.br`, brotliCompressSync(bytes, { params }))
}

/** Measures the page and the files that it names. */
function checkFirstLoad(): void {
  const html = readFileSync(`${cache}/index.html.br`)
  const text = brotliDecompressSync(html).toString()
  const named = [...text.matchAll(/(?:src|href)="\.\/explorer\/([^"]+)"/g)].map(([, name]) => name)
  const size = named.reduce((sum, name) => sum + readFileSync(`${cache}/${name}.br`).length, html.length)
  console.error(`explorer: ${size} bytes on first load, of at most ${firstLoad}`)
  if (size > firstLoad) throw new Error('the first page of the explorer loads too much')
}
