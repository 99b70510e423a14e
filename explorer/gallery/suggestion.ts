import { read } from '../requests.ts'

/** The texts of a template that the search covers. */
interface Texts {
  name: string
  document: { description: string | null; attributes: { value: unknown }[] } | null
}

const meantQuery = 'query Meant($search: String!) { searchSuggestion(search: $search) }'
const firstQuery = `query FirstMeant($search: String!) { products(first: 1, where: { search: $search }) {
  nodes { name document { description attributes { value } } } } }`

/** Returns a corrected search, with the accents of its first match; null if there is no correction. */
export async function readSuggestion(search: string, stop: AbortSignal): Promise<string | null> {
  const { searchSuggestion: meant } = await read<{ searchSuggestion: string | null }>(
    meantQuery,
    { search: search.slice(0, 1000) },
    stop
  )
  if (meant === null) return null
  const { products } = await read<{ products: { nodes: Texts[] } }>(firstQuery, { search: meant }, stop)
  return products.nodes.reduce((words, hit) => writeAs(listTexts(hit).join(' '), words), meant)
}

const listTexts = ({ name, document }: Texts): unknown[] => [
  name,
  document?.description,
  ...(document?.attributes ?? []).map(({ value }) => value)
]

/** Replaces the words of a search, which have no accents, with their spelling in a text. */
function writeAs(text: string, words: string): string {
  const written = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const byPlain = new Map(written.map(word => [word.normalize('NFKD').replace(/\p{M}/gu, ''), word]))
  return words.replace(/[^ ]+/g, word => byPlain.get(word) ?? word)
}
