import { FormatError } from '../../../../domain/format-error.ts'

/** Maximum bytes of all unpacked parts of a workbook. */
const maxUnpackedBytes = 2 ** 29

/** Makes an error that says why a workbook cannot be read. */
export const makeUnreadable = (why = 'it is damaged'): FormatError =>
  new FormatError(`the workbook cannot be read: ${why}`)

/** The beginning of the files of older programs, and of encrypted workbooks. */
const compound = 0xd0cf11e0
const endOfDirectory = 0x06054b50
const endOfDirectory64 = 0x06064b50
const entryOfDirectory = 0x02014b50
/** A field with this value is in the ZIP64 record instead. */
const in64 = 0xffffffff

interface Part {
  isPacked: boolean
  packedSize: number
  size: number
  /** The CRC-32 of its unpacked bytes. */
  sum: number
  /** The place of its local header. */
  offset: number
}

/** CRC-32 of each byte, RFC 1952. */
const sums = Int32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = (byte >>> 1) ^ (byte & 1 && 0xedb88320)
  return byte
})

/** Reads a stream. Not every browser can iterate over one. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/**
 * The parts of a ZIP file, APPNOTE.TXT 6.3.10. Its directory is read here only: the sizes that are checked are those to
 * which parts are unpacked. Throws FormatError.
 */
export class Zip {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #view: DataView
  readonly #parts = new Map<string, Part>()

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes as Uint8Array<ArrayBuffer>
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let size = 0
    for (const [name, part] of this.#readDirectory()) {
      // Names of parts have no case, ECMA-376 part 2, 6.2.2.3. Some programs write backslashes.
      this.#parts.set(name.toLowerCase().replaceAll('\\', '/'), part)
      size += part.size
    }
    if (size > maxUnpackedBytes)
      throw new FormatError('the workbook is too large: it has more than 512 MiB when it is unpacked')
  }

  has(name: string): boolean {
    return this.#parts.has(name.toLowerCase())
  }

  /** Unpacks a part. Without the part, it has no bytes. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const part = this.#parts.get(name.toLowerCase())
    if (!part) return
    const { isPacked, packedSize, size, sum, offset } = part
    const begin =
      offset + 30 + this.#view.getUint16(offset + 26, true) + this.#view.getUint16(offset + 28, true)
    const stored = new Blob([this.#bytes.subarray(begin, begin + packedSize)]).stream()
    const stream = isPacked ? stored.pipeThrough(new DecompressionStream('deflate-raw')) : stored
    let left = size
    let found = -1
    for await (const chunk of readStream(stream)) {
      left -= chunk.length
      if (left < 0) throw makeUnreadable('a part is larger than its stated size')
      for (const byte of chunk) found = (found >>> 8) ^ (sums[(found ^ byte) & 255] as number)
      yield chunk
    }
    if (left > 0 || ~found >>> 0 !== sum) throw makeUnreadable()
  }

  *#readDirectory(): Generator<[string, Part]> {
    const view = this.#view
    let [at, end] = this.#findDirectory()
    while (at < end) {
      if (view.getUint32(at, true) !== entryOfDirectory) throw makeUnreadable()
      const method = view.getUint16(at + 10, true)
      const [nameLength, extraLength] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)]
      const name = new TextDecoder().decode(this.#bytes.subarray(at + 46, at + 46 + nameLength))
      const fields = [24, 20, 42].map(field => view.getUint32(at + field, true))
      const [size = 0, packedSize = 0, offset = 0] = this.#widen(fields, at + 46 + nameLength, extraLength)
      // A part that is packed in an unknown way counts as missing.
      if (method === 0 || method === 8)
        yield [name, { isPacked: method === 8, packedSize, size, sum: view.getUint32(at + 16, true), offset }]
      at += 46 + nameLength + extraLength + view.getUint16(at + 32, true)
    }
  }

  /** Returns where the directory begins and ends. */
  #findDirectory(): [start: number, end: number] {
    const view = this.#view
    if (view.byteLength > 8 && view.getUint32(0) === compound)
      throw makeUnreadable(
        'it has a password or is from an older program. Save it as XLSX without a password'
      )
    let end = view.byteLength - 22
    while (end >= 0 && view.getUint32(end, true) !== endOfDirectory) end--
    if (end < 0) throw new FormatError('the file is not an XLSX workbook, or it is damaged')
    const [size, start] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)]
    if (start !== in64) return [start, start + size]
    const end64 = Number(view.getBigUint64(end - 12, true))
    if (view.getUint32(end64, true) !== endOfDirectory64) throw makeUnreadable()
    const [size64, start64] = [40, 48].map(at => Number(view.getBigUint64(end64 + at, true))) as [
      number,
      number
    ]
    return [start64, start64 + size64]
  }

  /** Replaces the fields that are in the ZIP64 extra field of an entry. */
  #widen(fields: number[], start: number, length: number): number[] {
    const view = this.#view
    let at = start
    while (at + 4 <= start + length && view.getUint16(at, true) !== 1) at += 4 + view.getUint16(at + 2, true)
    at += 4
    return fields.map(field => {
      if (field !== in64 || at + 8 > start + length) return field
      at += 8
      return Number(view.getBigUint64(at - 8, true))
    })
  }
}
