import { useEffect, useState } from 'preact/hooks'
import { formatCount, plural } from '../../format.ts'
import { TemplatePicture } from '../../picture/template-picture.tsx'
import { isAborted, read } from '../../requests.ts'

const shown = 12

const query = `query Seen($where: ProductTemplateFilter) {
  seen: products(first: ${shown}, where: $where) { totalCount nodes { id name document { image } } }
  all: products(first: 1) { totalCount } }`

interface Answer {
  seen: {
    totalCount: number
    nodes: { id: number; name: string; document: { image: string | null } | null }[]
  }
  all: { totalCount: number }
}

interface Props {
  label: string
  where: object
  isOpen?: boolean
}

/** What a filter matches: the number of templates, and the latest of them. A preview, with the rights of who looks. */
export function SeenTemplates({ label, where, isOpen = false }: Props) {
  const [answer, setAnswer] = useState<Answer | 'refused'>()
  const variable = JSON.stringify(where)
  useEffect(() => {
    const stop = new AbortController()
    read<Answer>(query, { where }, stop.signal)
      .then(setAnswer)
      .catch(error => {
        if (!isAborted(error)) setAnswer('refused')
      })
    return () => stop.abort()
  }, [variable])
  if (!answer) return null
  if (answer === 'refused') return <p class="notice warning">The service does not understand this filter.</p>
  const { seen, all } = answer
  const count = `${formatCount(seen.totalCount)} of ${plural(all.totalCount, 'template')}`
  return (
    <details class="seen" open={isOpen}>
      <summary>
        {label}: <span role="status">{count}</span>
      </summary>
      <ul aria-label="The latest of them">
        {seen.nodes.map(({ id, name, document }) => (
          <li key={id}>
            <TemplatePicture image={document?.image} name={name} />
            <span>{name || `Template ${id}`}</span>
          </li>
        ))}
      </ul>
      {seen.totalCount > seen.nodes.length && (
        <p class="muted">And {formatCount(seen.totalCount - seen.nodes.length)} more.</p>
      )}
    </details>
  )
}
