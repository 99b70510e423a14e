import type { Node } from 'jsonc-parser'
import type { Span } from './bytes.tsx'

interface Props {
  node: Node
  label?: string
  marked: Span | undefined
  onPick: (node: Node) => void
}

/** The maximum number of entries shown per object or list. */
const maxEntries = 500

/** A parsed value and its descendants. */
export function Tree({ node, label, marked, onPick }: Props) {
  const target = node.parent?.type === 'property' ? node.parent : node
  const isMarked = marked?.[0] === target.offset && marked[1] === target.offset + target.length
  const { type, children = [] } = node
  const inner =
    type === 'object' ? children.map(toMember) : children.map((node, at) => ({ node, label: String(at) }))
  return (
    <>
      {label !== undefined && (
        <button type="button" aria-pressed={isMarked} onClick={() => onPick(target)}>
          <span class="muted">{label} </span>
          {summaryOf(node)}
        </button>
      )}
      {inner.length > 0 && (
        <ul>
          {inner.slice(0, maxEntries).map(
            ({ node, label }, at) =>
              node && (
                <li key={at}>
                  <Tree node={node} label={label} marked={marked} onPick={onPick} />
                </li>
              )
          )}
        </ul>
      )}
    </>
  )
}

const toMember = ({ children: [key, value] = [] }: Node) => ({ node: value, label: String(key?.value) })

function summaryOf({ type, value, children = [] }: Node): string {
  if (type === 'object') return children.length === 0 ? '{ }' : ''
  if (type === 'array') return `list of ${children.length}`
  return type === 'string' ? String(value).replaceAll('\n', ' ↵ ') || '“”' : String(value)
}
