import { type Block, encodeVarint, makeFileBlocks, makeFolderBlock } from './content-id.ts'

/** A file for IPFS. */
export interface CarFile {
  /** Unique in the folder. */
  name: string
  /** Reads the bytes of the file. Called twice, because the CAR file begins with the content id of all files together. */
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
