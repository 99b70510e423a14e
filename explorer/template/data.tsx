import { findNodeAtOffset, type Node, parseTree } from 'jsonc-parser'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatCount, plural } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Bytes, type Span, toLines } from './bytes.tsx'
import './data.css'

/** Lines shown before the button is pressed. */
const firstLines = 1500

/** The bytes beside the parsed document. A click in one marks the same place in the other. */
export function Data({ data }: { data: string }) {
  const lines = useMemo(() => toLines(data), [data])
  const root = useMemo(() => parseTree(data), [data])
  const [marked, setMarked] = useState<Span>()
  const [all, setAll] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    for (const found of frame.current?.querySelectorAll('.marked, [aria-pressed=true]') ?? [])
      found.scrollIntoView({ block: 'nearest' })
  }, [marked])
  const pick = (offset: number) => {
    const node = root && findNodeAtOffset(root, offset)
    if (node) setMarked(spanOf(node.parent?.type === 'property' ? node.parent : node))
  }
  const size = new TextEncoder().encode(data).length
  return (
    <div class="data two-columns" ref={frame}>
      <section aria-label="Bytes">
        <div class="head across">
          <h2>{plural(size, 'byte')}</h2>
          <span class="muted">· space ↵ line break</span>
          <Copy text={data} label="Copy the data" />
        </div>
        <div class="card">
          <Bytes lines={all ? lines : lines.slice(0, firstLines)} marked={marked} onPick={pick} />
        </div>
        {!all && lines.length > firstLines && (
          <Button onClick={() => setAll(true)}>Show all {formatCount(lines.length)} lines</Button>
        )}
      </section>
      <section aria-label="Parsed document">
        <div class="head across">
          <h2>Parsed</h2>
        </div>
        <div class="tree scrolls card">
          {root ? (
            <Tree node={root} marked={marked} onPick={node => setMarked(spanOf(node))} />
          ) : (
            <p class="muted">This is not JSON.</p>
          )}
        </div>
      </section>
    </div>
  )
}

const spanOf = ({ offset, length }: Node): Span => [offset, offset + length]

interface TreeProps {
  node: Node
  label?: string
  marked: Span | undefined
  onPick: (node: Node) => void
}

/** The maximum number of entries shown per object or list. */
const maxEntries = 500

/** A parsed value and its descendants. */
function Tree({ node, label, marked, onPick }: TreeProps) {
  const target = node.parent?.type === 'property' ? node.parent : node
  const isMarked = marked?.[0] === target.offset && marked[1] === target.offset + target.length
  const { type, children = [] } = node
  const inner =
    type === 'object' ? children.map(toMember) : children.map((node, at) => ({ node, label: String(at) }))
  return (
    <>
      {label !== undefined && (
        <button type="button" class="cut" aria-pressed={isMarked} onClick={() => onPick(target)}>
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
