/** Requests within the limits that took the service down, or could: by what they are about. */

export interface GraphqlRequest {
  query: string
  variables?: Record<string, unknown>
}

/** Words that the documents of `seeds/load.ts` are made of. */
const words = (
  'amber anchor basil birch brass cedar cinder clay clover copper coral cotton drift ember fern flint garnet ginger ' +
  'glass harbor hazel heather indigo iris ivory juniper kelp lavender linen maple marble meadow mint moss oak olive'
).split(' ')

/** `count` fields with the aliases a0, a1, … */
const repeat = (count: number, field: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field(index)}`).join(' ')

const document =
  'document { productId description externalUrl image name component attributes { traitType value valueType text } }'
const page = 'query($where: ProductTemplateFilter) { products(where: $where) { totalCount nodes { id } } }'
const filtered = (where: object): GraphqlRequest => ({ query: page, variables: { where } })
const list = (length: number, condition: (index: number) => object): object[] =>
  Array.from({ length }, (_, index) => condition(index))

/** NFC sorts the marks of a letter in quadratic time. */
const marks = (length: number): string => `a${'\u0315'.repeat(length / 2)}${'\u0316'.repeat(length / 2)}`

export const contract: GraphqlRequest = {
  query:
    '{ allProducts { id blockchainId maxItems name publicProduct componentName timeCreated timeModified data } }'
}

/** Larger than any answer may be. */
export const everyDocument16Times: GraphqlRequest = {
  query: `{ allProducts { ${document} ${repeat(15, () => document)} } }`
}

/** The same of the text alone. */
export const everyText16Times: GraphqlRequest = {
  query: `{ allProducts { data ${repeat(15, () => 'data')} } }`
}

/** About ten seconds of work. */
export const types15Times: GraphqlRequest = {
  query: `{ ${repeat(15, () => 'allProducts { document { attributes { valueType } } }')} }`
}

/** Twice the size of the contract's own answer. */
export const dataTwice: GraphqlRequest = { query: '{ allProducts { data a: data } }' }

/** For a store of 20,000 templates. */
export const requests: Record<string, GraphqlRequest> = {
  'texts: a part of 60,000 marks': filtered({ name: { contains: marks(60_000) } }),
  'texts: 400 names of 1,000 marks': filtered({ name: { in: Array(400).fill(marks(998)) } }),
  'texts: 2 names of 490,000 letters': filtered({ name: { in: Array(2).fill('İ'.repeat(240_000)) } }),
  'texts: 490 long names in 15 filters': {
    query: `query($names: [String!]) {
      ${repeat(15, index => `products(where: { name: { in: $names }, id: { gt: ${index} } }) { totalCount }`)}
    }`,
    variables: { names: Array.from({ length: 490 }, (_, index) => `${index}`.padStart(1000, 'ÄÖ')) }
  },
  'variables: 500,000 values': filtered({ id: { in: Array(500_000).fill(0) } }),
  'variables: 300,000 filters': filtered({ or: Array(300_000).fill({}) }),
  'variables: 60,000 that no operation uses': {
    query: '{ allProducts(limit: 1) { id } }',
    variables: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`v${index}`, 0]))
  },
  'or: parts of traits': filtered({
    or: list(166, n => ({ trait: { type: 'Warning', contains: `am${n}` } }))
  }),
  'or: short parts of traits': filtered({
    or: list(160, () => ({ trait: { type: 'Warning', contains: 'zq' } }))
  }),
  'or: ranges without an index': filtered({
    or: list(160, n => ({ maxItems: { gt: 1e6 + n, lt: 1e6 + n + 9 } }))
  }),
  'and: parts of traits': filtered({
    and: list(166, n => ({ trait: { type: 'Warning', contains: words[n % 36]?.slice(0, 3) } }))
  }),
  'search: 36 words in a count and in a list': {
    query: `query($words: String!) {
      products(where: { search: $words }) { totalCount }
      allProducts(where: { search: $words }) { id }
    }`,
    variables: { words: words.join(' ') }
  },
  'search: 40 beginnings of words': filtered({ or: list(40, n => ({ search: words[n % 36]?.[0] })) }),
  'aliases: 15 pages of 4 conditions': {
    query: `{ ${repeat(15, index => {
      const word = JSON.stringify(words[index])
      return `products(where: { and: [
        { search: ${word} }, { trait: { type: "MadeIn", equals: "Peru" } },
        { trait: { type: "Warning", contains: ${word} } }, { name: { contains: ${word} } }
      ] }) { totalCount nodes { id } pageInfo { hasPreviousPage hasNextPage } }`
    })} }`
  },
  'aliases: 15 lists of all templates': { query: `{ ${repeat(15, () => 'allProducts { id }')} }` },
  'aliases: 15 pages with documents': {
    query: `{ ${repeat(
      15,
      () => `products(first: 100, orderBy: { field: NAME }) {
      edges { node { id data ${document} } } totalCount }`
    )} }`
  },
  'aliases: 15 documents of each template of a page': {
    query: `{ products(first: 100) { nodes { ${repeat(15, () => document)} } } }`
  },
  'aliases: 15 distant offsets': {
    query: `{ ${repeat(15, index => `allProducts(offset: ${19_000 + index}, limit: 10, orderBy: { field: NAME }) { id }`)} }`
  },
  'aliases: the name in 15 documents': {
    query: `{ allProducts { ${repeat(15, () => 'document { name }')} } }`
  },
  'facets: of a filter, 4 times': {
    query: `{ ${repeat(4, index => {
      const word = JSON.stringify(words[index])
      return `traits(where: { and: [{ search: ${word} }, { trait: { type: "Warning", contains: ${word} } }] }) {
        type values { text count } }`
    })} }`
  },
  'facets: of all templates, 15 times': {
    query: `{ ${repeat(15, index => `traits(first: ${index + 1}) { type values { text count } }`)} }`
  },
  'facets: of nearly all templates': {
    query: '{ traits(where: { publicProduct: { equals: true } }) { type values { text count } } }'
  },
  'lists: every document': { query: `{ allProducts { ${document} } }` },
  'lists: the data 4 times': { query: `{ allProducts { data ${repeat(3, () => 'data')} } }` },
  'lists: what a filter matches': {
    query: '{ allProducts(where: { publicProduct: { equals: true } }) { id name data } }'
  },
  'lists: what a search matches, by name': {
    query: '{ allProducts(where: { search: "amber" }, orderBy: { field: NAME, direction: ASC }) { id name } }'
  },
  'traits: one that is missing': filtered({ trait: { type: 'MadeIn', exists: false } })
}

/** For a store of large documents: 40 with 256 KB, and one with 100,000 attributes of 3,000 traits. */
export const requestsOfLargeDocuments: Record<string, GraphqlRequest> = {
  'a page': { query: `{ products(first: 100) { nodes { id ${document} } } }` },
  'a list': { query: `{ allProducts { id ${document} } }` },
  'the name in 15 documents': {
    query: `{ products(first: 100) { nodes { id ${repeat(15, () => 'document { name }')} } } }`
  },
  'the data 15 times': { query: `{ products(first: 100) { nodes { id ${repeat(15, () => 'data')} } } }` },
  '100,000 attributes': { query: `{ product(id: 1) { ${document} } }` },
  'the texts of 100,000 attributes, 15 times': {
    query: `{ allProducts(where: { id: { equals: 1 } }) { ${repeat(15, () => 'document { attributes { text } }')} } }`
  },
  '3,000 facets': { query: '{ traits(first: 100) { type values { text count } } }' },
  '3,000 facets of a filter': { query: '{ traits(where: { id: { gt: 0 } }) { type values { text count } } }' }
}

const numbers = (count: number, value: number) => Array<number>(count).fill(value)
const nested = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : [nested(levels - 1, inner)]

/** Documents whose differences are larger, or take longer, than the documents themselves. */
export const differentDocuments: Record<string, (value: number) => unknown> = {
  'long lines': value => ({ x: nested(97, [value, ...numbers(130_000, 1)]) }),
  'nested lists': value => ({ x: nested(98, value) }),
  'pointers with a long name': value => ({
    ['k'.repeat(100_000)]: Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`n${n}`, value]))
  }),
  'long names in pairs of objects': value => ({
    x: Array.from({ length: 220 }, () => ({ ['k'.repeat(1170)]: value }))
  }),
  'a list that becomes long': value => ({ x: value === 1 ? [0] : numbers(3000, value) }),
  'many lines': value => ({ x: [value, ...numbers(130_000, 1)] }),
  'lines that differ here and there': value => ({
    x: numbers(130_000, 1).map((same, n) => (n % 380 === 0 ? value : same))
  })
}

/** For the same store: more documents at once than there is memory for. */
export const namesOf15Pages: GraphqlRequest = {
  query: `{ ${repeat(15, () => 'products(first: 100) { nodes { id document { name } } }')} }`
}
