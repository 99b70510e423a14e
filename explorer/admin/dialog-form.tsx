import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Problems } from '../parts/problems.tsx'
import { useAction } from '../parts/use-action.ts'
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
  const { dialog, isBusy, problems, open, close, run } = useAction(onSubmit)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const begin = () => {
    setOpen(true)
    open()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    return run()
  }
  return (
    <>
      <button type="button" class="button primary" onClick={begin}>
        {title}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={() => setOpen(false)}>
        <h1 id={id}>{title}</h1>
        <form class="admin-form" onSubmit={submit}>
          {isOpen && children}
          <Problems problems={problems} />
          <div class="buttons">
            <button type="submit" class="button primary" disabled={isBusy}>
              {verb}
            </button>
            <button type="button" class="button" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
