/** Content ids, by which IPFS identifies pictures, and CAR files for pinning services. */
import { hash } from 'node:crypto'

/** A block of IPFS: a leaf, which is a part of a file, or a node of dag-pb. */
interface Block {
  /** The binary content id. */
  cid: Buffer
  bytes: Uint8Array
}

/** Multicodec codes, https://github.com/multiformats/multicodec. */
const raw = 0x55
const dagPb = 0x70

/** Maximum bytes of a leaf and maximum leaves of a node, as in `ipfs add --cid-version=1`. */
const leafBytes = 262_144
const maxLeaves = 174

/**
 * Makes the blocks of a file as `ipfs add --cid-version=1` does: raw leaves and, if there are several, a UnixFS node
 * of all leaves at the end. Throws RangeError for a file over 43 MiB, which would need more nodes.
 */
export function makeFileBlocks(file: Uint8Array): Block[] {
  if (file.length <= leafBytes) return [makeBlock(raw, file)]
  const count = Math.ceil(file.length / leafBytes)
  if (count > maxLeaves) throw new RangeError('the file is too large')
  const leaves = Array.from({ length: count }, (_, at) =>
    makeBlock(raw, file.subarray(at * leafBytes, (at + 1) * leafBytes))
  )
  const sizes = leaves.flatMap(({ bytes }) => [...encodeNumber(4, bytes.length)])
  const data = Buffer.from([...encodeNumber(1, 2), ...encodeNumber(3, file.length), ...sizes])
  const links = leaves.map(({ cid, bytes }) => makeLink(cid, '', bytes.length))
  return [...leaves, makeNode(links, data)]
}

/** Makes the node of a folder. `size` is the number of bytes of all blocks of an entry. */
function makeFolderBlock(entries: { name: string; cid: Buffer; size: number }[]): Block {
  const sorted = entries.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one.name), Buffer.from(other.name))
  )
  return makeNode(
    sorted.map(({ name, cid, size }) => makeLink(cid, name, size)),
    Buffer.from(encodeNumber(1, 1))
  )
}

/** A node of dag-pb, https://ipld.io/specs/codecs/dag-pb/spec: its links come before its data. */
const makeNode = (links: Buffer[], data: Buffer): Block =>
  makeBlock(dagPb, Buffer.concat([...links.map(bytes => encodeBytes(2, bytes)), encodeBytes(1, data)]))

const makeLink = (cid: Buffer, name: string, size: number): Buffer =>
  Buffer.concat([encodeBytes(1, cid), encodeBytes(2, Buffer.from(name)), Buffer.from(encodeNumber(3, size))])

function makeBlock(codec: number, bytes: Uint8Array): Block {
  // Version 1; SHA-256, which has 32 bytes.
  return { cid: Buffer.concat([Buffer.from([1, codec, 0x12, 32]), hash('sha256', bytes, 'buffer')]), bytes }
}

/** These encode a number and bytes as fields of Protocol Buffers. */
const encodeNumber = (number: number, value: number): number[] => [number * 8, ...encodeVarint(value)]
const encodeBytes = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, ...encodeVarint(bytes.length)]), bytes])

/** Encodes a number as unsigned LEB128. */
function encodeVarint(value: number): number[] {
  const rest = Math.floor(value / 128)
  return rest === 0 ? [value] : [(value % 128) + 128, ...encodeVarint(rest)]
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** Formats a content id as text: `b` and base32, RFC 4648 §6, in lower case and without padding. */
export function formatContentId(cid: Uint8Array): string {
  let text = 'b'
  let bits = 0
  let value = 0
  for (const byte of cid) {
    value = (value * 256 + byte) % 2 ** 16
    for (bits += 8; bits >= 5; bits -= 5) text += letters[(value >> (bits - 5)) & 31]
  }
  return bits > 0 ? text + letters[(value << (5 - bits)) & 31] : text
}

/** Returns the content id of a file. Throws RangeError as {@link makeFileBlocks} does. */
export const makeContentId = (file: Uint8Array): string =>
  formatContentId(makeFileBlocks(file).at(-1)?.cid as Buffer)

interface CarFile {
  /** Unique in the folder. */
  name: string
  /** Reads the file. Called twice, because the CAR file begins with the content id of all files together. */
  read(): Promise<Uint8Array>
}

/** Maximum number of entries of a folder, because a block has a maximum size. */
const maxFolderEntries = 1000

/**
 * Writes a CAR file, version 1, https://ipld.io/specs/transport/car/carv1. It has the blocks of the files and of a
 * folder with all files, which is its root.
 */
export async function* writeCar(files: CarFile[]): AsyncGenerator<Uint8Array> {
  const entries: Entry[] = []
  for (const { name, read } of files) entries.push(makeEntry(name, makeFileBlocks(await read())))
  const folders: Block[] = []
  const root = makeFolder(entries, folders)
  yield makeSection([makeHeader(root)])
  for (const { read } of files)
    for (const { cid, bytes } of makeFileBlocks(await read())) yield makeSection([cid, bytes])
  for (const { cid, bytes } of folders) yield makeSection([cid, bytes])
}

interface Entry {
  name: string
  cid: Buffer
  size: number
}

const makeEntry = (name: string, blocks: Block[]): Entry => ({
  name,
  cid: blocks.at(-1)?.cid as Buffer,
  size: blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
})

/** Adds the blocks of a folder, and returns its content id. Many files are split into folders of this folder. */
function makeFolder(entries: Entry[], blocks: Block[]): Buffer {
  if (entries.length <= maxFolderEntries) {
    const block = makeFolderBlock(entries)
    blocks.push(block)
    return block.cid
  }
  const parts = Array.from({ length: Math.ceil(entries.length / maxFolderEntries) }, (_, part) => {
    const inside = entries.slice(part * maxFolderEntries, (part + 1) * maxFolderEntries)
    const cid = makeFolder(inside, blocks)
    const size = inside.reduce((sum, entry) => sum + entry.size, blocks.at(-1)?.bytes.length ?? 0)
    return { name: String(part), cid, size }
  })
  return makeFolder(parts, blocks)
}

/** `{ roots: [cid], version: 1 }` as DAG-CBOR. */
function makeHeader(root: Buffer): Buffer {
  const text = (value: string) => Buffer.from([0x60 + value.length, ...Buffer.from(value)])
  // A binary content id: tag 42, and 37 bytes of which the first is 0.
  const link = Buffer.concat([Buffer.from([0xd8, 42, 0x58, root.length + 1, 0]), root])
  return Buffer.concat([
    Buffer.from([0xa2]),
    text('roots'),
    Buffer.from([0x81]),
    link,
    text('version'),
    Buffer.from([1])
  ])
}

function makeSection(parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.from(encodeVarint(length)), ...parts])
}
