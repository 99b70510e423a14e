import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Problems } from './problems.tsx'
import { useAction } from './use-action.ts'
import './dialog.css'

interface Props {
  /** What is asked, such as `Delete template 7?`. */
  title: string
  /** The word on the button that opens the dialog, and on the one that does it. */
  opener: ComponentChildren
  verb: string
  /** A button that stands back. */
  plain?: boolean
  /** What it will do. */
  children: ComponentChildren
  /** Does it. Returns what is wrong, if anything is; the dialog then stays open. Throws if the service does not answer. */
  onConfirm: () => Promise<string[]>
}

/** A button whose action asks first, and says what will happen. */
export function Confirm({ title, opener, verb, plain = false, children, onConfirm }: Props) {
  const { dialog, isBusy, problems, open, close, run } = useAction(onConfirm)
  const id = useId()
  return (
    <>
      <button type="button" class={`button ${plain ? 'plain' : ''}`} onClick={open}>
        {opener}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id}>
        <h1 id={id}>{title}</h1>
        <p class="muted">{children}</p>
        <Problems problems={problems} />
        <div class="buttons">
          <button type="button" class="button primary" disabled={isBusy} onClick={run}>
            {verb}
          </button>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  )
}
