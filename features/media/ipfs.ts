/** Content ids, by which IPFS identifies pictures, and CAR files for pinning services. */
import { hash } from 'node:crypto'
import * as dagPb from '@ipld/dag-pb'
import { CID, varint } from 'multiformats'
import * as raw from 'multiformats/codecs/raw'
import { create as createDigest } from 'multiformats/hashes/digest'

/** A block of IPFS: a leaf, which is a part of a file, or a node of dag-pb. */
interface Block {
  cid: CID
  bytes: Uint8Array
}

/** Maximum bytes of a leaf and maximum leaves of a node, as in `ipfs add --cid-version=1`. */
const leafBytes = 262_144
const maxLeaves = 174

/**
 * Makes the blocks of a file as `ipfs add --cid-version=1` does: raw leaves and, if there are several, a UnixFS node
 * of all leaves at the end. Throws RangeError for a file over 43 MiB, which would need more nodes.
 */
export function makeFileBlocks(file: Uint8Array): Block[] {
  if (file.length <= leafBytes) return [makeBlock(raw.code, file)]
  const count = Math.ceil(file.length / leafBytes)
  if (count > maxLeaves) throw new RangeError('the file is too large')
  const leaves = Array.from({ length: count }, (_, at) =>
    makeBlock(raw.code, file.subarray(at * leafBytes, (at + 1) * leafBytes))
  )
  const sizes = leaves.flatMap(({ bytes }) => encodeNumber(4, bytes.length))
  const links = leaves.map(({ cid, bytes }) => ({ Hash: cid, Name: '', Tsize: bytes.length }))
  return [...leaves, makeNode([...encodeNumber(1, 2), ...encodeNumber(3, file.length), ...sizes], links)]
}

/** Makes a node of UnixFS. `data` has the fields of its message. */
const makeNode = (data: number[], links: dagPb.PBLink[]): Block =>
  makeBlock(dagPb.code, dagPb.encode(dagPb.prepare({ Data: Uint8Array.from(data), Links: links })))

/** The code of SHA-256, https://github.com/multiformats/multicodec. */
const sha256 = 0x12

const makeBlock = (codec: number, bytes: Uint8Array): Block => ({
  cid: CID.createV1(codec, createDigest(sha256, hash('sha256', bytes, 'buffer'))),
  bytes
})

/** Encodes a number as a field of Protocol Buffers. */
const encodeNumber = (field: number, value: number): number[] => [field * 8, ...encodeVarint(value)]

const encodeVarint = (value: number): Uint8Array =>
  varint.encodeTo(value, new Uint8Array(varint.encodingLength(value)))

/** Returns the content id of a file. Throws RangeError as {@link makeFileBlocks} does. */
export const makeContentId = (file: Uint8Array): string => String(makeFileBlocks(file).at(-1)?.cid)

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
  yield makeSection([makeHeader(root.bytes)])
  for (const { read } of files)
    for (const { cid, bytes } of makeFileBlocks(await read())) yield makeSection([cid.bytes, bytes])
  for (const { cid, bytes } of folders) yield makeSection([cid.bytes, bytes])
}

interface Entry {
  name: string
  cid: CID
  size: number
}

const makeEntry = (name: string, blocks: Block[]): Entry => ({
  name,
  cid: blocks.at(-1)?.cid as CID,
  size: blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
})

/** Adds the blocks of a folder, and returns its content id. Many files are split into folders of this folder. */
function makeFolder(entries: Entry[], blocks: Block[]): CID {
  if (entries.length <= maxFolderEntries) {
    const links = entries.map(({ name, cid, size }) => ({ Hash: cid, Name: name, Tsize: size }))
    const block = makeNode(encodeNumber(1, 1), links)
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
function makeHeader(root: Uint8Array): Buffer {
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
  return Buffer.concat([encodeVarint(length), ...parts])
}
