import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Range {
  first: number
  last: number
}

/** The maximum number of new rows per frame, so that no frame takes long, however fast the user scrolls. */
const maxNewRows = 6

/** Returns the part of the wanted rows to render in this frame. Visible rows come first. */
export function useGradualRows(wanted: Range, screen: Range): Range {
  const made = useRef<Range>({ first: 0, last: 0 })
  const [, setFrame] = useState(0)
  const next = extend(made.current, wanted, screen)
  const isComplete = next.first <= wanted.first && next.last >= wanted.last
  useLayoutEffect(() => {
    made.current = next
    if (isComplete) return undefined
    let timer: ReturnType<typeof setTimeout>
    // After this frame, because scrolling may already render rows in it.
    const request = requestAnimationFrame(() => {
      timer = setTimeout(() => setFrame(frame => frame + 1))
    })
    return () => {
      cancelAnimationFrame(request)
      clearTimeout(timer)
    }
  })
  return next
}

function extend(made: Range, wanted: Range, screen: Range): Range {
  const first = Math.max(made.first, wanted.first)
  const last = Math.min(made.last, wanted.last)
  // None of the wanted rows is rendered yet.
  if (first >= last) return { first: screen.first, last: Math.min(wanted.last, screen.first + maxNewRows) }
  const after = Math.min(wanted.last - last, maxNewRows)
  const before = Math.min(first - wanted.first, maxNewRows)
  // Extends the side that lacks visible rows. Mostly this is one side only.
  if (last < screen.last || before === 0) return { first, last: last + after }
  return { first: first - before, last: last + Math.min(after, maxNewRows - before) }
}
