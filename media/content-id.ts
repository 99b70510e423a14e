import { hash } from 'node:crypto'

/** A block of IPFS: a leaf, which is a part of a file, or a node of dag-pb. */
export interface Block {
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
export function makeFolderBlock(entries: { name: string; cid: Buffer; size: number }[]): Block {
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

/** Encode a number and bytes as fields of Protocol Buffers. */
const encodeNumber = (number: number, value: number): number[] => [number * 8, ...encodeVarint(value)]
const encodeBytes = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, ...encodeVarint(bytes.length)]), bytes])

/** Encodes a number as unsigned LEB128. */
export function encodeVarint(value: number): number[] {
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
