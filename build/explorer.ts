/**
 * Builds the explorer into a cache as compressed files, without subfolders, and copies them to `dist/explorer`. A
 * service that runs from source reads the cache: `--cache-only` copies nothing. Skips the build if the sources have not
 * changed. Deletes nothing, because a running service may still serve an older page. Fails if the first page exceeds
 * its size limit.
 */
import { randomUUID } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { cache, computeVersion, ide, isCurrent, readBuilt, withoutIde } from './explorer-version.ts'
import { lockBuild, moveChanged } from './files.ts'
import { installPackages } from './install.ts'

/** The maximum size of the first page with its scripts and styles, in bytes as brotli. */
const maxFirstLoad = 70_000
/** Longer files, in bytes, get a lower compression level, which takes a tenth of the time. */
const longFileSize = 400_000

/** A file of the build; a script has all of these. */
interface Built {
  fileName: string
  moduleIds?: string[]
  imports?: string[]
  viteMetadata?: { importedCss: Set<string> }
}

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
  const begun = Date.now()
  const vite = await import('vite')
  const unpacked = `${staging}/unpacked`
  mkdirSync(unpacked, { recursive: true })
  let modules: string[] = []
  const built = await vite.build({
    configFile: 'explorer/vite.config.ts',
    plugins: [
      {
        name: 'list-modules',
        buildEnd() {
          modules = listOwn([...this.getModuleIds()])
        }
      }
    ],
    build: {
      outDir: `../${unpacked}`,
      rolldownOptions: { input: ['explorer/index.html', ...(hasIde ? [`${ide}/index.html`] : [])] }
    }
  })
  const { output } = built as { output: Built[] }
  const names = globSync(`${unpacked}/**/*.*`).map(path => compressFile(path))
  // Pages come last, after the files that they load.
  names.sort((a, b) => Number(a.endsWith('.html.br')) - Number(b.endsWith('.html.br')))
  const files = [...names, 'version']
  writeFileSync(`${staging}/modules`, modules.join('\n'))
  // What changed meanwhile may not be in this build, so the next start builds again.
  const hasChanged = modules.some(path => statSync(path).mtimeMs > begun)
  const version = hasChanged ? '' : computeVersion(modules)
  writeFileSync(`${staging}/version`, [version + (hasIde ? '' : withoutIde), ...files].join('\n'))
  checkFirstLoad(output)
  moveChanged(['modules', ...files], { from: staging, to: cache })
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

/** Lists the modules of this project by the ids of all modules, which may have a query. */
function listOwn(ids: string[]): string[] {
  const paths = ids.filter(isAbsolute).map(id => relative('.', id.replace(/\?.*/, '')))
  return paths.filter(path => !path.startsWith('..') && !path.includes('node_modules'))
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

/** Fails if the page with the gallery, and the files that it loads, are too large. */
function checkFirstLoad(output: Built[]): void {
  const html = readFileSync(`${staging}/index.html.br`)
  const text = brotliDecompressSync(html).toString()
  const named = [...text.matchAll(/(?:src|href)="\.\/(explorer\/[^"]+)"/g)].map(([, name]) => String(name))
  const files = new Set(named)
  const app = output.find(({ moduleIds }) => moduleIds?.includes(resolve('explorer/app.tsx')))
  addFiles(app?.fileName ?? '', output, files)
  const size = [...files].reduce(
    (sum, name) => sum + readFileSync(`${staging}/${basename(name)}.br`).length,
    0
  )
  console.error(`explorer: ${html.length + size} bytes on first load, of at most ${maxFirstLoad}`)
  if (html.length + size > maxFirstLoad) throw new Error('the first page of the explorer loads too much')
}

/** Adds a script, its styles, and the scripts that it imports. */
function addFiles(name: string, output: Built[], files: Set<string>): void {
  const chunk = output.find(({ fileName }) => fileName === name)
  files.add(name)
  for (const style of chunk?.viteMetadata?.importedCss ?? []) files.add(style)
  for (const imported of chunk?.imports ?? []) if (!files.has(imported)) addFiles(imported, output, files)
}
