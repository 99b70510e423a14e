import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface ShownSecret {
  title: string
  /** A link or a secret. */
  text: string
  /** How to use it, and what it allows. */
  advice: string
}

/**
 * The link or the secret that the service has just returned. Only the memory of the page has it, until the dialog
 * closes.
 */
const shown = signal<ShownSecret | undefined>(undefined)

export const showSecret = (next: ShownSecret): void => {
  shown.value = next
}

/** Shows a link or a secret. Escape does not close the dialog, because the secret cannot be shown again. */
export function SecretDialog() {
  // The dialog disappears when the user leaves the page, so its secret is forgotten then.
  useEffect(() => forgetSecret, [])
  if (!shown.value) return null
  const { title, text, advice } = shown.value
  return (
    <Dialog title={title} class="once" onCancel={event => event.preventDefault()} onClose={forgetSecret}>
      <p class="notice warning">{advice} It is shown only now, so copy it before you close this.</p>
      <div class="secret">
        <code>{text}</code>
        <Copy text={text} label={`Copy: ${title}`} look="button primary" />
      </div>
      <Button onClick={forgetSecret}>I have it, close</Button>
    </Dialog>
  )
}

const forgetSecret = (): void => {
  shown.value = undefined
}
