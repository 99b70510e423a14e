import { randomInt } from 'node:crypto'

/** Slots of a hash table of words: a power of two, three times as many as a text has words that count. */
const slots = 16_384
const hashes = new Int32Array(slots)
const starts = new Uint32Array(slots)
const ends = new Uint32Array(slots)
/** The text that last used each slot, by number; for any other text the slot is free. */
const usedBy = new Uint32Array(slots)
let textNumber = 0
/** Random, so that nobody can write a text whose words have one hash. */
const multiplier = 2 * randomInt(2 ** 30) + 1

/** The bytes of a text, since reading characters from a string takes twice as long. */
let bytes = Buffer.alloc(2 ** 16)

const isWordByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0
)

/**
 * Returns the distinct words of a lower-case ASCII text, truncated to `longest` characters, at most `most` of them.
 * Most words of a text are repeated, so they are compared in place before a string is made of them. That takes a third
 * of the time of a regular expression and a Set.
 */
export function asciiWords(text: string, longest: number, most: number): string[] {
  if (text.length > bytes.length) bytes = Buffer.alloc(2 * text.length)
  const length = bytes.write(text, 'latin1')
  textNumber++
  const words: string[] = []
  for (let at = 0; at < length && words.length < most; at++) {
    const start = at
    let hash = 0
    for (; at < length && isWordByte[bytes[at] as number]; at++)
      if (at - start < longest) hash = (Math.imul(hash, multiplier) + (bytes[at] as number)) | 0
    const end = Math.min(at, start + longest)
    if (end > start && addWord(start, end, hash)) words.push(text.slice(start, end))
  }
  return words
}

/** Adds a word of the text to the table; returns false if it is there already. */
function addWord(start: number, end: number, hash: number): boolean {
  let slot = (hash ^ (hash >>> 15)) & (slots - 1)
  for (; usedBy[slot] === textNumber; slot = (slot + 1) & (slots - 1))
    if (hashes[slot] === hash && isSameWord(slot, start, end)) return false
  usedBy[slot] = textNumber
  hashes[slot] = hash
  starts[slot] = start
  ends[slot] = end
  return true
}

function isSameWord(slot: number, start: number, end: number): boolean {
  const other = starts[slot] as number
  if ((ends[slot] as number) - other !== end - start) return false
  for (let offset = 0; offset < end - start; offset++)
    if (bytes[start + offset] !== bytes[other + offset]) return false
  return true
}
