import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/** The built explorer: beside the compiled code, or in the cache of the build if the sources run. */
const folders = ['../../explorer/', '../../node_modules/.cache/product-templates/explorer/'].map(path =>
  fileURLToPath(new URL(path, import.meta.url))
)

const mediaTypes: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  woff2: 'font/woff2'
}

export type FileCoding = 'br' | 'gzip' | 'identity'

const suffixes = { br: '.br', gzip: '.gz' } as const

/** The files of the explorer. The build keeps them compressed only: browsers accept that. */
export class BuiltFiles {
  readonly #folder: string | undefined
  readonly #names: ReadonlySet<string>

  constructor() {
    this.#folder = folders.find(folder => existsSync(`${folder}index.html.br`))
    const found = this.#folder === undefined ? [] : readdirSync(this.#folder)
    this.#names = new Set(found.filter(name => name.endsWith('.br')).map(name => name.slice(0, -3)))
  }

  get isBuilt(): boolean {
    return this.#folder !== undefined
  }

  /** Whether there is such a file; only these can be read. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Reads a file in a content coding. */
  async read(name: string, coding: FileCoding): Promise<Buffer> {
    const path = `${this.#folder}${name}`
    if (coding === 'identity') return promisify(brotliDecompress)(await readFile(`${path}.br`))
    return readFile(path + suffixes[coding])
  }
}

/** Media type by the ending of the name. */
export const mediaTypeOf = (name: string): string =>
  mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
