import { makeAttributes } from './erc721.ts'
import { type RewriteLink, rewriteLinks } from './ipfs.ts'
import { type DocumentParts, readParts } from './parts.ts'
import { type MetadataTrait, toMetadataTrait } from './values.ts'

/** `erc721`: EIP-721 with OpenSea's attributes; `erc1155`: EIP-1155 with properties. */
export const metadataFormats = ['erc721', 'erc1155'] as const

export interface MetadataOptions {
  format?: (typeof metadataFormats)[number] | undefined
  /** URL to which IPFS links are rewritten. */
  ipfsGateway?: string | undefined
  /** Lets others have their turn; see `takeTurns`. Rejects if the work is aborted. */
  turn: () => Promise<void>
}

/** A template, or the bytes of a document alone. */
export interface MetadataSource {
  /** The name if the document has none. */
  name?: string
  data: string
}

/** Characters of a piece. */
const pieceLength = 2 ** 16
/** Entries between turns: a turn for each would take longer than writing it. */
const entriesPerTurn = 20

/** Writes metadata as JSON, in pieces. */
export async function* writeMetadata(
  { name, data }: MetadataSource,
  { format = 'erc721', ipfsGateway, turn }: MetadataOptions
): AsyncGenerator<string> {
  const rewrite = rewriteLinks(ipfsGateway)
  const parts = await readParts(data, turn)
  const write = format === 'erc721' ? writeErc721 : writeErc1155
  let piece = ''
  let entries = 0
  for (const text of write(toTexts(name, parts, rewrite), parts.entries, rewrite)) {
    piece += text
    entries++
    if (entries % entriesPerTurn === 0 || text.length > pieceLength) await turn()
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield piece
}

/** Yields JSON, also empty texts, piece by piece of the work. */
type Writer = (texts: MetadataTexts, entries: Iterable<unknown>, rewrite: RewriteLink) => Generator<string>

const writeErc721: Writer = function* (texts, entries, rewrite) {
  yield `{${writeMembers(texts)}"attributes":[`
  const toAttributes = makeAttributes()
  let separator = ''
  for (const entry of entries) {
    const trait = toMetadataTrait(entry, rewrite)
    if (!trait) yield ''
    else
      for (const attribute of toAttributes(trait)) {
        yield separator + JSON.stringify(attribute)
        separator = ','
      }
  }
  yield ']}'
}

const writeErc1155: Writer = function* ({ external_url, ...texts }, entries, rewrite) {
  const properties = new Map<string, MetadataTrait['value'][]>()
  for (const entry of entries) {
    yield ''
    const { type, value } = toMetadataTrait(entry, rewrite) ?? {}
    if (type === undefined || value === undefined) continue
    const before = properties.get(type)
    if (before) before.push(value)
    else properties.set(type, [value])
  }
  if (external_url !== undefined && !properties.has('external_url'))
    properties.set('external_url', [external_url])
  yield `{${writeMembers(texts)}"properties":{`
  let separator = ''
  for (const [type, values] of properties) {
    // A trait that occurs several times is a list.
    yield `${separator}${JSON.stringify(type)}:${JSON.stringify(values.length === 1 ? values[0] : values.flat())}`
    separator = ','
  }
  yield '}}'
}

type MetadataTexts = { [key in 'name' | 'description' | 'image' | 'external_url']?: string | undefined }

/** The texts both formats have. Empty ones are omitted. */
function toTexts(name: string | undefined, { values }: DocumentParts, rewrite: RewriteLink): MetadataTexts {
  const read = (key: string): string | undefined => {
    const value = values.get(key)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const link = (key: string): string | undefined => rewrite(read(key) ?? '')
  return {
    name: read('name') ?? name,
    description: read('description'),
    image: link('image'),
    external_url: link('external_url')
  }
}

/** Writes members with a comma after each. */
const writeMembers = (texts: object): string => {
  const members = JSON.stringify(texts).slice(1, -1)
  return members === '' ? '' : `${members},`
}
