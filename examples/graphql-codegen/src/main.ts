import { createClient } from 'product-templates-client'
import { CardFragmentDoc, CardsDocument, HistoryDocument } from './gql/graphql'

const client = createClient({ url: 'http://127.0.0.1:3000', auth: async () => prompt('Access token') ?? '' })

// Page by page, with filters that the compiler checks.
const where = { trait: { type: 'MadeIn', equals: 'Portugal' } }
for await (const { products } of client.pages(CardsDocument, { where })) {
  for (const { name, document } of products.nodes) console.log(name, document?.attributes.length)
}

// A fragment selects the fields of a helper, too.
const product = await client.product(1, { select: CardFragmentDoc })
console.log(product?.name)

// The history has the contents of each revision.
for await (const { productRevisions } of client.pages(HistoryDocument, { id: 1 })) {
  for (const { action, contents } of productRevisions.nodes) console.log(action, contents?.name)
}

// What there is not does not compile.
// @ts-expect-error no such condition
client.pages(CardsDocument, { where: { price: { gt: 1 } } })
// @ts-expect-error no such field
product?.price
