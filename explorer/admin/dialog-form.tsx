import type { ComponentChildren } from 'preact'
import { Button } from '../ui/button.tsx'
import { Dialog, Problems, useAction } from '../ui/dialog.tsx'

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
  const { isOpen, isBusy, problems, open, close, run } = useAction(onSubmit)
  const openDialog = () => {
    onOpen?.()
    open()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    return run()
  }
  return (
    <>
      <Button look={look} onClick={openDialog}>
        {title}
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={close}>
          <form class="admin-form" onSubmit={submit}>
            {children}
            <Problems problems={problems} />
            <div class="buttons">
              <Button type="submit" look="primary" isBusy={isBusy}>
                {submitLabel}
              </Button>
              <Button onClick={close}>Cancel</Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
