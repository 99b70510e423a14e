import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
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
  const dialog = useRef<HTMLDialogElement>(null)
  const cancel = useRef<HTMLButtonElement>(null)
  const id = useId()
  const [isSecond, setSecond] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const open = () => {
    setSecond(false)
    setProblems([])
    dialog.current?.showModal()
  }
  const close = () => dialog.current?.close()
  const confirm = async () => {
    setBusy(true)
    const found = await onConfirm()
    setBusy(false)
    setProblems(found)
    if (found.length === 0) close()
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
      onClick={asksAgain ? () => setSecond(true) : confirm}
    >
      {isSecond ? `${verb}, I am sure` : verb}
    </button>,
    <button key="cancel" ref={cancel} type="button" class="button" onClick={close}>
      Cancel
    </button>
  ]
  return (
    <>
      <button type="button" class={`button ${primary ? 'primary' : ''}`} disabled={disabled} onClick={open}>
        {opener}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id}>
        <h1 id={id}>{isSecond ? 'Do this to yourself?' : title}</h1>
        {/* It may hold fields, so it stays. */}
        <div class="muted" hidden={isSecond}>
          {children}
        </div>
        {isSecond && <p class="notice warning">{own}</p>}
        <div role="alert">
          {problems.map(problem => (
            <p key={problem} class="notice warning">
              {problem}
            </p>
          ))}
        </div>
        <div class="buttons">{isSecond ? buttons.toReversed() : buttons}</div>
      </dialog>
    </>
  )
}
