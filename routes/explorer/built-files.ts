import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress, gzip } from 'node:zlib'
import { locate } from '../../files/locate.ts'

/** The built explorer: beside the compiled code, or in the cache of the build if the sources run. */
const folders = ['explorer/', 'node_modules/.cache/product-templates/explorer/'].map(path =>
  fileURLToPath(locate(path))
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

const decompress = promisify(brotliDecompress)
const compress = promisify(gzip)

/**
 * The files of the explorer. The build keeps them as brotli only, which browsers accept from `https` and from loopback
 * addresses; others ask for gzip. Each file is made once in each coding and kept, 12 MB at most: all responses share it.
 */
export class BuiltFiles {
  readonly #folder: string | undefined
  readonly #names: ReadonlySet<string>
  readonly #kept = new Map<string, Promise<Buffer>>()

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
  read(name: string, coding: FileCoding): Promise<Buffer> {
    const key = `${name} ${coding}`
    const kept = this.#kept.get(key) ?? this.#make(name, coding)
    this.#kept.set(key, kept)
    kept.catch(() => this.#kept.delete(key))
    return kept
  }

  async #make(name: string, coding: FileCoding): Promise<Buffer> {
    const packed = await readFile(`${this.#folder}${name}.br`)
    if (coding === 'br') return packed
    const plain = await decompress(packed)
    return coding === 'gzip' ? compress(plain) : plain
  }
}

/** Media type by the ending of the name. */
export const mediaTypeOf = (name: string): string =>
  mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
