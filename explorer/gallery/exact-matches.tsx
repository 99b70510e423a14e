import { read } from '../requests.ts'
import { hrefOf, readInteger } from '../route.ts'
import { useRead } from '../ui/use-read.ts'

interface Named {
  id: number
  name: string
}

interface Found {
  byId?: Named | null
  byProductId?: { nodes: Named[] }
  byHash?: { id: number; number: number; contents: { name: string } } | null
}

const exactQuery = `query Exact($id: Int!, $isId: Boolean!, $text: String!, $hash: String!, $isHash: Boolean!) {
  byId: product(id: $id) @include(if: $isId) { id name }
  byProductId: products(first: 3, where: { productId: { equals: $text } }) { nodes { id name } }
  byHash: revisionByHash(hash: $hash) @include(if: $isHash) { id: templateId number contents { name } }
}`

/** The exact matches of a search that may be an id, a product id or the start of a hash. */
export function ExactMatches({ search }: { search: string }) {
  const text = search.trim()
  return (
    <div class="exact across" role="status">
      {/^\S{1,100}$/.test(text) && /\d/.test(text) && <Hits key={text} text={text} />}
    </div>
  )
}

function Hits({ text }: { text: string }) {
  const id = readInteger(text)
  const isHash = /^(sha256:)?[0-9a-f]{8,64}$/i.test(text)
  const variables = { text, id: id ?? 0, isId: id !== undefined && id >= 0, hash: text, isHash }
  // After a failure, the search below shows the problem.
  const { data = {} } = useRead(stop => read<Found>(exactQuery, variables, stop), [text])
  const { byId, byProductId, byHash } = data
  return (
    <>
      {byId && <Hit label="Id" template={byId} />}
      {byProductId?.nodes.map(template => (
        <Hit key={template.id} label="Product id" template={template} />
      ))}
      {byHash && (
        <Hit
          label={`Hash of revision ${byHash.number}`}
          template={{ id: byHash.id, name: byHash.contents.name }}
        />
      )}
    </>
  )
}

const Hit = ({ label, template: { id, name } }: { label: string; template: Named }) => (
  <a class="button" href={hrefOf(['templates', id])}>
    <span class="muted">{label}</span> {name || `Template ${id}`}
  </a>
)
