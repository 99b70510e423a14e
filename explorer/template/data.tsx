import { findNodeAtOffset, type Node, parseTree } from 'jsonc-parser'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatCount, plural } from '../format.ts'
import { Copy } from '../parts/copy.tsx'
import { toLines } from './bytes.ts'
import { Bytes, type Span } from './bytes.tsx'
import './data.css'
import { Tree } from './tree.tsx'

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
    <div class="data" ref={frame}>
      <section aria-label="Bytes">
        <div class="head">
          <h2>{plural(size, 'byte')}</h2>
          <span class="muted">· space ↵ line break</span>
          <Copy text={data} label="Copy the data" />
        </div>
        <div class="card">
          <Bytes lines={all ? lines : lines.slice(0, firstLines)} marked={marked} onPick={pick} />
        </div>
        {!all && lines.length > firstLines && (
          <button type="button" class="button" onClick={() => setAll(true)}>
            Show all {formatCount(lines.length)} lines
          </button>
        )}
      </section>
      <section aria-label="Parsed document">
        <div class="head">
          <h2>Parsed</h2>
        </div>
        <div class="tree card">
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
