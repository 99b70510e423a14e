/** A query of each kind for the load data, with the fields of a list. */
const fields = '{ nodes { id name componentName timeModified } pageInfo { hasNextPage endCursor } }'

const page = (where: object, more = '') => ({
  query: `query($where: ProductTemplateFilter) { products(first: 50, where: $where${more}) ${fields} }`,
  variables: { where }
})

export const kinds: Record<string, { query: string; variables: object }> = {
  'no filter': page({}),
  'with `data`': { query: '{ products(first: 50) { nodes { id data } } }', variables: {} },
  'with `document`': {
    query: '{ products(first: 50) { nodes { id document { description attributes { traitType value } } } } }',
    variables: {}
  },
  'by name': page({}, ', orderBy: { field: NAME, direction: ASC }'),
  'by max items': page({}, ', orderBy: { field: MAX_ITEMS, direction: ASC }'),
  'by a trait': page({}, ', orderBy: { trait: "UnitsProduced", direction: ASC }'),
  'few by a trait': page({ search: '77777' }, ', orderBy: { trait: "UnitsProduced", direction: ASC }'),
  'id in 50': page({ id: { in: Array.from({ length: 50 }, (_, index) => index * 700) } }),
  'name equals': page({ name: { equals: 'Kelp Amber 77777' } }),
  'name contains': page({ name: { contains: '999' } }),
  'name contains, none does': page({ name: { contains: 'zzzz' } }),
  'name starts with': page({ name: { startsWith: 'amber' } }),
  componentName: page({ componentName: { equals: 'TrackingRecord' } }),
  blockchainId: page({ blockchainId: { equals: 2 } }),
  publicProduct: page({ publicProduct: { equals: false } }),
  'maxItems range': page({ maxItems: { lt: 100 } }),
  'timeCreated range': page({ timeCreated: { gte: '2025-06-01T00:00:00Z', lt: '2025-06-08T00:00:00Z' } }),
  'trait equals, 15 of 100': page({ trait: { type: 'MadeIn', equals: 'Portugal' } }),
  'trait equals, one': page({ trait: { type: 'UnitsProduced', equals: 5000 } }),
  'trait in, 3 of 100': page({ trait: { type: 'ProductType', in: ['Amber', 'Anchor'] } }),
  'trait contains, one of a list': page({ trait: { type: 'FeaturesArray', contains: 'amber' } }),
  'trait contains, part of 90,000 texts': page({ trait: { type: 'ProductUrl', contains: '/p/9999' } }),
  'trait exists': page({ trait: { type: 'Video', exists: false } }),
  'search, common': page({ search: 'amber' }),
  'search, rare': page({ search: '77777' }),
  'search, two words': page({ search: 'amber 777' }),
  'and of a rare and a common one': page({
    and: [{ search: 'amber' }, { trait: { type: 'UnitsProduced', equals: 5000 } }]
  }),
  'and of three': page({
    and: [
      { publicProduct: { equals: true } },
      { trait: { type: 'MadeIn', equals: 'Peru' } },
      { search: 'sage' }
    ]
  }),
  or: page({ or: [{ search: '77777' }, { trait: { type: 'MadeIn', equals: 'Peru' } }] }),
  not: page({ not: { trait: { type: 'MadeIn', equals: 'Peru' } } }),
  'time range, rare': page({
    timeCreated: { gte: '2025-06-01T00:00:00Z', lt: '2025-06-01T00:10:00Z' }
  }),
  'and, rare': page({
    and: [
      { maxItems: { lt: 3 } },
      { trait: { type: 'MadeIn', equals: 'Peru' } },
      { blockchainId: { equals: 2 } }
    ]
  }),
  'and of two that exclude each other': page({
    and: [
      { trait: { type: 'ProductType', equals: 'Shipment' } },
      { trait: { type: 'EmailOptional', equals: true } }
    ]
  }),
  'allProducts, limit 50': {
    query: '{ allProducts(limit: 50) { id name componentName timeModified } }',
    variables: {}
  },
  'totalCount of a trait': {
    query: '{ products(first: 1, where: { trait: { type: "MadeIn", equals: "Peru" } }) { totalCount } }',
    variables: {}
  },
  'totalCount of a search': {
    query: '{ products(first: 1, where: { search: "amber" }) { totalCount } }',
    variables: {}
  },
  'facets of one trait, filtered': {
    query: '{ traits(types: ["MadeIn"], where: { search: "sage" }) { type values { text count } } }',
    variables: {}
  },
  'totalCount alone': {
    query: '{ products(first: 1, where: { publicProduct: { equals: true } }) { totalCount } }',
    variables: {}
  },
  'facets of one trait': {
    query: '{ traits(types: ["MadeIn"]) { type values { text count } } }',
    variables: {}
  },
  'facets of all traits': { query: '{ traits { type values { text count } } }', variables: {} }
}
