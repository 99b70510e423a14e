import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Problems } from '../parts/problems.tsx'
import { useAction } from '../parts/use-action.ts'
import '../parts/dialog.css'

interface Props {
  title: string
  /** The label of the button that opens the dialog. */
  opener: ComponentChildren
  /** The label of the button that confirms. */
  verb: string
  /** The consequence for the user's own account or client. If it is set, the user must confirm twice. */
  own?: string | undefined
  primary?: boolean
  disabled?: boolean
  /** What the action will do. */
  children: ComponentChildren
  /** Runs the action. Returns its problems; if there are any, the dialog stays open. */
  onConfirm: () => Promise<string[]>
}

/** A button whose action must be confirmed: once, or twice if it concerns the user's own account. */
export function Ask({ title, opener, verb, own, primary, disabled, children, onConfirm }: Props) {
  const { dialog, isBusy, problems, open, close, run } = useAction(onConfirm)
  const cancel = useRef<HTMLButtonElement>(null)
  const id = useId()
  const [isSecond, setSecond] = useState(false)
  const begin = () => {
    setSecond(false)
    open()
  }
  useEffect(() => {
    if (isSecond) cancel.current?.focus()
  }, [isSecond])
  const asksAgain = own !== undefined && !isSecond
  // The second time, the buttons are swapped, so that a double click does not confirm twice.
  const buttons = [
    <button
      key="confirm"
      type="button"
      class="button primary"
      disabled={isBusy}
      onClick={asksAgain ? () => setSecond(true) : run}
    >
      {isSecond ? `${verb}, I am sure` : verb}
    </button>,
    <button key="cancel" ref={cancel} type="button" class="button" onClick={close}>
      Cancel
    </button>
  ]
  return (
    <>
      <button type="button" class={`button ${primary ? 'primary' : ''}`} disabled={disabled} onClick={begin}>
        {opener}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id}>
        <h1 id={id}>{isSecond ? 'Do this to yourself?' : title}</h1>
        {/* Hidden, not removed: it may contain fields. */}
        <div class="muted" hidden={isSecond}>
          {children}
        </div>
        {isSecond && <p class="notice warning">{own}</p>}
        <Problems problems={problems} />
        <div class="buttons">{isSecond ? buttons.toReversed() : buttons}</div>
      </dialog>
    </>
  )
}
