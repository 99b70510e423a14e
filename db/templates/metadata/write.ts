import { type RewriteLink, rewriteLinks } from './ipfs.ts'
import { type DocumentParts, readParts } from './parts.ts'
import { type MetadataTrait, makeAttributes, toMetadataTrait } from './traits.ts'

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

/** Characters that are written at a time. */
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
  const entries = Array.isArray(parts.attributes) ? parts.attributes : []
  const { begin, members, end } = writers[format](toTexts(name, parts, rewrite), entries, rewrite)
  let [piece, separator, count] = [begin, '', 0]
  for (const member of members) {
    count++
    if (count % entriesPerTurn === 0 || member.length > pieceLength) await turn()
    if (member === '') continue
    piece += separator + member
    separator = ','
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield piece + end
}

/** Writes the members of a list or object one by one; an empty text stands for an entry that has none. */
type Writer = (
  texts: MetadataTexts,
  entries: unknown[],
  rewrite: RewriteLink
) => { begin: string; members: Generator<string>; end: string }

const writers: Record<(typeof metadataFormats)[number], Writer> = {
  erc721: (texts, entries, rewrite) => ({
    begin: `{${writeMembers(texts)}"attributes":[`,
    members: writeAttributes(entries, rewrite),
    end: ']}'
  }),
  erc1155: ({ external_url, ...texts }, entries, rewrite) => ({
    begin: `{${writeMembers(texts)}"properties":{`,
    members: writeProperties(external_url, entries, rewrite),
    end: '}}'
  })
}

function* writeAttributes(entries: unknown[], rewrite: RewriteLink): Generator<string> {
  const toAttributes = makeAttributes()
  for (const entry of entries) {
    const trait = toMetadataTrait(entry, rewrite)
    if (!trait) yield ''
    else for (const attribute of toAttributes(trait)) yield JSON.stringify(attribute)
  }
}

function* writeProperties(
  external_url: string | undefined,
  entries: unknown[],
  rewrite: RewriteLink
): Generator<string> {
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
  // A trait that occurs several times is a list.
  for (const [type, values] of properties)
    yield `${JSON.stringify(type)}:${JSON.stringify(values.length === 1 ? values[0] : values.flat())}`
}

type MetadataTexts = { [key in 'name' | 'description' | 'image' | 'external_url']?: string | undefined }

/** The texts both formats have. Empty ones are omitted. */
function toTexts(name: string | undefined, parts: DocumentParts, rewrite: RewriteLink): MetadataTexts {
  const read = (key: keyof MetadataTexts): string | undefined => {
    const value = parts[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return {
    name: read('name') ?? name,
    description: read('description'),
    image: rewrite(read('image') ?? ''),
    external_url: rewrite(read('external_url') ?? '')
  }
}

/** Writes members with a comma after each. */
const writeMembers = (texts: object): string => {
  const members = JSON.stringify(texts).slice(1, -1)
  return members === '' ? '' : `${members},`
}
