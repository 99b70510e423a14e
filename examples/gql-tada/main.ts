import { createClient } from 'product-templates-client'
import { type FragmentOf, graphql, readFragment } from './graphql.ts'

const client = createClient({ url: 'http://127.0.0.1:3000', auth: async () => prompt('Access token') ?? '' })

export const Card = graphql(`
  fragment Card on ProductTemplate {
    id
    name
    document { image attributes { traitType text } }
  }
`)

/** A component takes exactly the fields of its fragment. */
function renderCard(card: FragmentOf<typeof Card>): string {
  const { name, document } = readFragment(Card, card)
  return `${name}: ${document?.attributes.map(({ traitType, text }) => `${traitType} ${text}`).join(', ')}`
}

export const Cards = graphql(
  `
    query Cards($where: ProductTemplateFilter, $after: String) {
      products(where: $where, after: $after, first: 50) {
        nodes { ...Card }
        pageInfo { hasNextPage endCursor }
      }
    }
  `,
  [Card]
)

// Page by page, with filters that the compiler checks.
const where = { trait: { type: 'MadeIn', equals: 'Portugal' } }
for await (const { products } of client.pages(Cards, { where })) {
  for (const card of products.nodes) console.log(renderCard(card))
}

// A fragment selects the fields of a helper, too.
const product = await client.product(1, { select: Card })
console.log(product?.document?.image)

// What there is not does not compile.
// @ts-expect-error no such condition
client.pages(Cards, { where: { price: { gt: 1 } } })
// @ts-expect-error no such field
product?.price
