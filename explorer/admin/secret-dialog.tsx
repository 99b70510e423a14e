import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Copy } from '../parts/copy.tsx'
import '../parts/dialog.css'

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
  const dialog = useRef<HTMLDialogElement>(null)
  const current = shown.value
  useEffect(() => {
    if (current) dialog.current?.showModal()
    else dialog.current?.close()
  }, [current])
  // The dialog disappears when the user leaves the page, so its secret is forgotten then.
  useEffect(() => () => forgetSecret(), [])
  return (
    <dialog
      ref={dialog}
      class="dialog once"
      aria-labelledby="once-title"
      onCancel={event => event.preventDefault()}
      onClose={forgetSecret}
    >
      {current && (
        <>
          <h1 id="once-title">{current.title}</h1>
          <p class="notice warning">
            {current.advice} It is shown only now, so copy it before you close this.
          </p>
          <div class="secret">
            <code>{current.text}</code>
            <Copy text={current.text} label={`Copy: ${current.title}`} />
          </div>
          <form method="dialog">
            <button type="submit" class="button">
              I have it, close
            </button>
          </form>
        </>
      )}
    </dialog>
  )
}

const forgetSecret = (): void => {
  shown.value = undefined
}
