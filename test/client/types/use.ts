/** What compiles and what must not. The compiler checks it; nothing runs it. */
import {
  createClient,
  type DocumentValue,
  type Product,
  type ResultOf,
  type TypedDocument
} from '../../../packages/client/index.ts'

const client = createClient({ url: 'https://templates.example', auth: 'token' })

/** Compiles only if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never
const same = <A, B>(_: Same<A, B>): void => {}

// The result follows the selection.
const { nodes } = await client.products({
  first: 3,
  select: { id: true, document: { attributes: { text: true } } }
})
same<(typeof nodes)[number], { id: number; document: { attributes: { text: string }[] } | null }>(true)
export const [text]: (string | undefined)[] = nodes.map(({ document }) => document?.attributes[0]?.text)
// @ts-expect-error not selected
nodes[0]?.name
// @ts-expect-error may be null
nodes[0]?.document.attributes

// Deep fields.
const deep = await client.product(1, {
  select: {
    document: { attributes: { traitType: true, value: true } },
    revisions: {
      nodes: { author: { name: true }, contents: { document: { attributes: { valueType: true } } } }
    }
  }
})
export const traits: { traitType: string; value: DocumentValue | null }[] | undefined =
  deep?.document?.attributes
export const valueType = deep?.revisions.nodes[0]?.contents?.document?.attributes[0]?.valueType

// Without one, it is the nine fields of the contract.
const product = await client.product(1)
export const data: string | undefined = product?.data
// @ts-expect-error not of the contract
product?.document
export const named: Product<{ name: true }> = { name: 'a' }

// Fields that there are not, also beside some that there are.
// @ts-expect-error
await client.products({ select: { nme: true } })
// @ts-expect-error
await client.products({ select: { id: true, nme: true } })
// @ts-expect-error
await client.product(1, { select: { document: { attributes: { text: true, txt: true } } } })
await client.product(1, {
  // @ts-expect-error
  select: { revisions: { nodes: { contents: { document: { attributes: { txt: true } } } } } }
})
// @ts-expect-error an object needs a selection
await client.product(1, { select: { document: true } })
// @ts-expect-error a value has none
client.eachProduct({ select: { name: { length: true } } })

// Arguments.
await client.products({ where: { trait: { type: 'MadeIn', equals: ['a', 'b'] }, or: [{ id: { in: [1] } }] } })
// @ts-expect-error no such condition
await client.products({ where: { name: { like: 'a' } } })
// @ts-expect-error a document has no such input
await client.products({ where: { trait: { type: 'a', equals: { b: 1 } } } })
// @ts-expect-error no such order
await client.products({ orderBy: { field: 'PRICE' } })
// @ts-expect-error not a number
await client.product('1')

// Typed documents.
declare const byName: TypedDocument<{ product: { name: string } | null }, { id: number }>
declare const paged: TypedDocument<{ products: { nodes: { id: number }[] } }, { after?: string | null }>
// As graphql-codegen writes it with `documentMode: 'string'`.
declare class TypedDocumentString<Result, Variables> extends String {
  __apiType?: (variables: Variables) => Result
}
declare const byNameText: TypedDocumentString<{ product: { name: string } | null }, { id: number }>
same<Awaited<ReturnType<typeof sendText>>, ResultOf<typeof byName>>(true)
const sendText = () => client.request(byNameText, { id: 1 })
const found = await client.request(byName, { id: 1 })
same<typeof found, ResultOf<typeof byName>>(true)
await client.request(paged)
for await (const { products } of client.pages(paged)) same<typeof products.nodes, { id: number }[]>(true)
// @ts-expect-error the variable is missing
await client.request(byName)
// @ts-expect-error it is a number
await client.request(byName, { id: '1' })
// @ts-expect-error not selected
found.product?.id
// @ts-expect-error the document has no $after
client.pages(byName, { id: 1 })

// Plain strings.
const unknown = await client.request('{ allProducts { name } }')
// @ts-expect-error nobody knows
unknown.allProducts
export const told = await client.request<{ allProducts: { name: string }[] }>('{ allProducts { name } }')

// Grants.
// @ts-expect-error the password is missing
createClient({ url: '', auth: { grant: 'password', clientId: 'a', username: 'b' } })
// @ts-expect-error no such grant
createClient({ url: '', auth: { grant: 'implicit', clientId: 'a' } })
// @ts-expect-error where the redirect goes is missing
createClient({ url: '', auth: { grant: 'authorization_code', clientId: 'a' } })

for await (const { action } of client.changes()) {
  // @ts-expect-error no such action
  if (action === 'CREATE') break
}
