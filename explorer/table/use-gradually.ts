import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Range {
  first: number
  last: number
}

/** Rows that are made in one frame, so that no frame takes long, however fast one scrolls. */
const mostNew = 6

/** Returns the part of the wanted rows that is made in this frame. The rows on the screen come first. */
export function useGradually(wanted: Range, screen: Range): Range {
  const made = useRef<Range>({ first: 0, last: 0 })
  const [, setFrame] = useState(0)
  const next = extend(made.current, wanted, screen)
  const isComplete = next.first <= wanted.first && next.last >= wanted.last
  useLayoutEffect(() => {
    made.current = next
    if (isComplete) return undefined
    let timer: ReturnType<typeof setTimeout>
    // After this frame: a frame in which one scrolls makes rows already.
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
  // Nothing of it is there yet.
  if (first >= last) return { first: screen.first, last: Math.min(wanted.last, screen.first + mostNew) }
  const after = Math.min(wanted.last - last, mostNew)
  const before = Math.min(first - wanted.first, mostNew)
  // What is missing on the screen is mostly at one side.
  if (last < screen.last || before === 0) return { first, last: last + after }
  return { first: first - before, last: last + Math.min(after, mostNew - before) }
}
