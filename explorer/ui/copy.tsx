import { useState } from 'preact/hooks'

/** A button that copies a text. */
export function Copy({ text, label, look = 'copy' }: { text: string; label: string; look?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <button type="button" class={look} aria-label={label} onClick={copy}>
      <span role="status">{copied ? 'Copied' : 'Copy'}</span>
    </button>
  )
}
