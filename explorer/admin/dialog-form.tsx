import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Problems } from '../parts/problems.tsx'
import { useAction } from '../parts/use-action.ts'
import { busy } from '../parts/use-busy.ts'
import '../parts/dialog.css'

interface Props {
  title: string
  submitLabel: string
  /** The look of the button that opens the dialog. */
  look?: 'primary' | ''
  children: ComponentChildren
  onOpen?: () => void
  /** Submits the form. Returns its problems; if there are any, the dialog stays open and keeps the input. */
  onSubmit: () => Promise<string[]>
}

export function DialogForm({ title, submitLabel, look = 'primary', children, onOpen, onSubmit }: Props) {
  const { dialog, isBusy, problems, open, close, run } = useAction(onSubmit)
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const openDialog = () => {
    onOpen?.()
    setOpen(true)
    open()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    return run()
  }
  return (
    <>
      <button type="button" class={`button ${look}`} onClick={openDialog}>
        {title}
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={() => setOpen(false)}>
        <h1 id={id}>{title}</h1>
        <form class="admin-form" onSubmit={submit}>
          {isOpen && children}
          <Problems problems={problems} />
          <div class="buttons">
            <button type="submit" class="button primary" {...busy(isBusy)}>
              {submitLabel}
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
