/**
 * Builds the explorer into a cache as compressed files, without subfolders, and copies them to `dist/explorer`. A
 * service that runs from source reads the cache: `--cache-only` copies nothing. Skips the build if the sources have not
 * changed. Deletes nothing, because a running service may still serve an older page. Fails if the first page exceeds
 * its size limit.
 */
import { randomUUID } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import {
  cache,
  computeVersion,
  ide,
  isCurrent,
  listSources,
  readBuilt,
  withoutIde
} from './explorer-version.ts'
import { lockBuild, moveChanged } from './files.ts'
import { installPackages } from './install.ts'

/** The maximum size of the first page with its scripts and styles, in bytes as brotli. */
const maxFirstLoad = 70_000
/** Longer files, in bytes, get a lower compression level, which takes a tenth of the time. */
const longFileSize = 400_000

process.chdir(join(import.meta.dirname, '..'))
const staging = `${cache}.${randomUUID()}`
/** Beside `dist`, because the cache may be on another file system, from which files cannot be moved. */
const copies = `dist.${randomUUID()}`

const isCacheOnly = process.argv[2] === '--cache-only'
// A service that runs from source can do without GraphiQL.
const needsIde = !isCacheOnly
try {
  if (!isCurrent({ needsIde })) {
    lockBuild()
    if (!isCurrent({ needsIde })) await build()
  }
  if (!isCacheOnly) {
    const { names } = readBuilt()
    for (const name of names) cpSync(`${cache}/${name}`, `${copies}/${name}`)
    moveChanged(names, { from: copies, to: 'dist/explorer' })
  }
} finally {
  for (const folder of [staging, copies]) rmSync(folder, { recursive: true, force: true })
}

async function build(): Promise<void> {
  console.error('building the explorer')
  const hasIde = installIde()
  const version = hasIde ? computeVersion() : computeVersion() + withoutIde
  const vite = await import('vite')
  const unpacked = `${staging}/unpacked`
  mkdirSync(unpacked, { recursive: true })
  const built = await vite.build({
    configFile: 'explorer/vite.config.ts',
    build: {
      outDir: `../${unpacked}`,
      rolldownOptions: { input: ['explorer/index.html', ...(hasIde ? [`${ide}/index.html`] : [])] }
    }
  })
  checkSources(built as { output: { moduleIds?: string[] }[] })
  const names = globSync(`${unpacked}/**/*.*`).map(path => compressFile(path))
  // Pages come last, after the files that they load.
  names.sort((a, b) => Number(a.endsWith('.html.br')) - Number(b.endsWith('.html.br')))
  const files = [...names, 'version']
  writeFileSync(`${staging}/version`, [version, ...files].join('\n'))
  checkFirstLoad()
  moveChanged(files, { from: staging, to: cache })
}

/** Installs the packages of GraphiQL. Returns false if that fails, such as without a network. */
function installIde(): boolean {
  try {
    installPackages(ide)
    return true
  } catch (error) {
    if (needsIde) throw error
    console.error(
      'GraphiQL is left out: its packages could not be installed. Try again with `npm run build`.'
    )
    return false
  }
}

/** Fails if a bundled module is not one of the sources, because a change of it would not lead to a new build. */
function checkSources({ output }: { output: { moduleIds?: string[] }[] }): void {
  const known = new Set(listSources().map(path => resolve(path)))
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds.map(id => id.replace(/\?.*/, '')))
  const own = modules.filter(path => path.startsWith(resolve()) && !path.includes('/node_modules/'))
  const missing = own.filter(path => !known.has(path))
  if (missing.length > 0) throw new Error(`the sources of the explorer lack ${missing.join(', ')}`)
}

/** Compresses a file and returns its name. `ide/index.html` becomes `ide.html`, because names must be unique. */
function compressFile(path: string): string {
  const name = `${path.endsWith('/ide/index.html') ? 'ide.html' : basename(path)}.br`
  const bytes = readFileSync(path)
  const quality = bytes.length > longFileSize ? 9 : constants.BROTLI_MAX_QUALITY
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length
  }
  writeFileSync(`${staging}/${name}`, brotliCompressSync(bytes, { params }))
  return name
}

/** Fails if the page and the files that it loads are too large. */
function checkFirstLoad(): void {
  const html = readFileSync(`${staging}/index.html.br`)
  const text = brotliDecompressSync(html).toString()
  const named = [...text.matchAll(/(?:src|href)="\.\/explorer\/([^"]+)"/g)].map(([, name]) => name)
  const size = named.reduce((sum, name) => sum + readFileSync(`${staging}/${name}.br`).length, html.length)
  console.error(`explorer: ${size} bytes on first load, of at most ${maxFirstLoad}`)
  if (size > maxFirstLoad) throw new Error('the first page of the explorer loads too much')
}
