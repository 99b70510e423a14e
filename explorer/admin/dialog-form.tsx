import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import '../parts/dialog.css'

interface Props {
  title: string
  verb: string
  children: ComponentChildren
  /** Does it. Returns what is wrong, if anything is; what was typed then stays. */
  onSubmit: () => Promise<string[]>
}

/** A button that opens a form in a dialog. */
export function DialogForm({ title, verb, children, onSubmit }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const open = () => {
    setProblems([])
    setOpen(true)
    dialog.current?.showModal()
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const found = await onSubmit()
    setBusy(false)
    setProblems(found)
    if (found.length === 0) dialog.current?.close()
  }
  return (
    <>
      <button type="button" class="button primary" onClick={open}>
        {title}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={() => setOpen(false)}>
        <h1 id={id}>{title}</h1>
        <form class="admin-form" onSubmit={submit}>
          {isOpen && children}
          <div role="alert">
            {problems.map(problem => (
              <p key={problem} class="notice warning">
                {problem}
              </p>
            ))}
          </div>
          <div class="buttons">
            <button type="submit" class="button primary" disabled={isBusy}>
              {verb}
            </button>
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
