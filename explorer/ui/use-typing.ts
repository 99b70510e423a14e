import { useEffect, useRef, useState } from 'preact/hooks'

/** Milliseconds after the last key before a search starts. */
const pauseMs = 150

/**
 * The text of a search field, and the function to call with each new text. It calls `search` when the user pauses. The
 * text is that of the address, `given`, when that changes.
 */
export function useTyping(
  given: string,
  search: (text: string) => void
): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(given)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(given), [given])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (text: string) => {
    setText(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => search(text), pauseMs)
  }
  return [text, type]
}
