import { useState } from 'preact/hooks'

/** A button that copies a text. */
export function Copy({ text, label, children = 'Copy' }: { text: string; label: string; children?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <button type="button" class="copy" aria-label={label} onClick={copy}>
      <span role="status">{copied ? 'Copied' : children}</span>
    </button>
  )
}
