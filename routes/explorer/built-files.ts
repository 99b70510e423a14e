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
 * addresses. For any other `http` address they ask for gzip, which is made once and kept: 2 MB for all of them.
 */
export class BuiltFiles {
  readonly #folder: string | undefined
  readonly #names: ReadonlySet<string>
  readonly #gzipped = new Map<string, Promise<Buffer>>()

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
    if (coding === 'br') return readFile(`${this.#folder}${name}.br`)
    if (coding === 'identity') return decompress(await this.read(name, 'br'))
    const kept = this.#gzipped.get(name) ?? this.read(name, 'identity').then(plain => compress(plain))
    this.#gzipped.set(name, kept)
    kept.catch(() => this.#gzipped.delete(name))
    return kept
  }
}

/** Media type by the ending of the name. */
export const mediaTypeOf = (name: string): string =>
  mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
