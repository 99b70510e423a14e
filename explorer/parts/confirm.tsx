import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { Problems } from './problems.tsx'
import { useAction } from './use-action.ts'
import './dialog.css'

interface Props {
  /** The question, such as `Delete template 7?`. */
  title: string
  /** The label of the button that opens the dialog. `verb` is the label of the button that confirms. */
  label: ComponentChildren
  confirmLabel: string
  /** Whether the button is less prominent. */
  plain?: boolean
  /** What the action will do. */
  children: ComponentChildren
  /**
   * Runs the action. Returns its problems; if there are any, the dialog stays open. Throws if the service does not
   * answer.
   */
  onConfirm: () => Promise<string[]>
}

/** A button whose action must be confirmed in a dialog. */
export function Confirm({ title, label, confirmLabel, plain = false, children, onConfirm }: Props) {
  const { dialog, isBusy, problems, open, close, run } = useAction(onConfirm)
  const id = useId()
  return (
    <>
      <button type="button" class={`button ${plain ? 'plain' : ''}`} onClick={open}>
        {label}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id}>
        <h1 id={id}>{title}</h1>
        <p class="muted">{children}</p>
        <Problems problems={problems} />
        <div class="buttons">
          <button type="button" class="button primary" disabled={isBusy} onClick={run}>
            {confirmLabel}
          </button>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  )
}
