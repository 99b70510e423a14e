import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Problems } from '../parts/problems.tsx'
import { useAction } from '../parts/use-action.ts'
import '../parts/dialog.css'

interface Props {
  title: string
  /** What the button says that opens the dialog. */
  opener: ComponentChildren
  /** The word on the button that does it. */
  verb: string
  /** What it does to the one who asks for it, who is then asked a second time. */
  own?: string | undefined
  primary?: boolean
  disabled?: boolean
  /** What it will do. */
  children: ComponentChildren
  /** Does it. Returns what is wrong, if anything is; the dialog then stays open. */
  onConfirm: () => Promise<string[]>
}

/** A button whose action asks first: once, or twice about oneself. */
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
  // The other way round the second time, so that a double click does not answer both.
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
        {/* It may hold fields, so it stays. */}
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
