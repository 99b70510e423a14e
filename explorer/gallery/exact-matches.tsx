import { useEffect, useState } from 'preact/hooks'
import { read } from '../requests.ts'
import { hrefOf, readInteger } from '../route.ts'

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
  const mayName = /^\S{1,100}$/.test(text) && /\d/.test(text)
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    setFound(undefined)
    if (!mayName) return undefined
    const stop = new AbortController()
    const id = readInteger(text)
    const isHash = /^(sha256:)?[0-9a-f]{8,64}$/i.test(text)
    read<Found>(
      exactQuery,
      { text, id: id ?? 0, isId: id !== undefined && id >= 0, hash: text, isHash },
      stop.signal
    )
      .then(setFound)
      // The search below shows the problem.
      .catch(() => {})
    return () => stop.abort()
  }, [text])
  const { byId, byProductId, byHash } = found ?? {}
  return (
    <div class="exact" role="status">
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
    </div>
  )
}

const Hit = ({ label, template: { id, name } }: { label: string; template: Named }) => (
  <a class="button" href={hrefOf(['templates', id])}>
    <span class="muted">{label}</span> {name || `Template ${id}`}
  </a>
)
