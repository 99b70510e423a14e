import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { refusalOf } from '../api.ts'
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
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [problem, setProblem] = useState('')
  const confirm = async () => {
    try {
      const problems = await onConfirm()
      setProblem(problems.join(' '))
      if (problems.length === 0) dialog.current?.close()
    } catch (error) {
      setProblem(
        refusalOf(error) ?? 'The service did not answer. Nothing was changed, as far as this page knows.'
      )
    }
  }
  return (
    <>
      <button
        type="button"
        class={`button ${plain ? 'plain' : ''}`}
        onClick={() => dialog.current?.showModal()}
      >
        {opener}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id}>
        <h1 id={id}>{title}</h1>
        <p class="muted">{children}</p>
        {problem !== '' && <p class="notice warning">{problem}</p>}
        <div class="buttons">
          <button type="button" class="button primary" onClick={confirm}>
            {verb}
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </dialog>
    </>
  )
}
