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

export type FileCoding = 'br' | 'gzip' | 'identity'

const decompress = promisify(brotliDecompress)
const compress = promisify(gzip)

/**
 * The files of the explorer. The build keeps them as brotli only, which browsers accept from `https` and from loopback
 * addresses; others ask for gzip. Each file is made once in each coding and kept, 12 MB at most: all responses share it.
 */
export class BuiltFiles {
  /** Only these can be read; none if the explorer has not been built. */
  readonly names: ReadonlySet<string>
  readonly #folder = folders.find(folder => existsSync(`${folder}index.html.br`))
  readonly #files = new Map<string, Promise<Buffer>>()

  constructor() {
    const found = this.#folder === undefined ? [] : readdirSync(this.#folder)
    this.names = new Set(found.filter(name => name.endsWith('.br')).map(name => name.slice(0, -3)))
  }

  /** Reads a file in a content coding. */
  read(name: string, coding: FileCoding): Promise<Buffer> {
    const key = `${name} ${coding}`
    const file = this.#files.get(key) ?? this.#make(name, coding)
    this.#files.set(key, file)
    file.catch(() => this.#files.delete(key))
    return file
  }

  async #make(name: string, coding: FileCoding): Promise<Buffer> {
    const packed = await readFile(`${this.#folder}${name}.br`)
    if (coding === 'br') return packed
    const plain = await decompress(packed)
    return coding === 'gzip' ? compress(plain) : plain
  }
}
