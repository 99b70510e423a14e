import type { ComponentChildren, TargetedEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { describeFailure } from '../api.ts'
import { useBusy } from './use-busy.ts'
import './dialog.css'

interface Props {
  title: string
  class?: string
  /** Escape was pressed. */
  onCancel?: (event: TargetedEvent<HTMLDialogElement>) => void
  onClose: () => void
  children: ComponentChildren
}

/** A modal dialog. It opens when it is first rendered. Its end gives the focus back. */
export function Dialog({ title, class: look = '', onCancel, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${look}`}
      aria-labelledby={id}
      onCancel={onCancel}
      // The event of a dialog that has ended comes later.
      onClose={event => event.currentTarget.isConnected && onClose()}
    >
      <h1 id={id}>{title}</h1>
      {children}
    </dialog>
  )
}

/**
 * A dialog whose button runs an action, once at a time, and then closes it. The dialog stays open if the action returns
 * problems or throws.
 */
export function useAction(action: () => Promise<string[]>) {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, runOnce] = useBusy()
  const [problems, setProblems] = useState<string[]>([])
  const open = () => {
    setProblems([])
    setOpen(true)
  }
  const run = () =>
    runOnce(async () => {
      const found = await action().catch((error: unknown) => [describeFailure(error)])
      setProblems(found)
      // The user may have closed it meanwhile.
      setOpen(found.length > 0)
    })
  return { isOpen, isBusy, problems, open, close: () => setOpen(false), run }
}

/** Problems that screen readers announce at once; nothing if there are none. */
export function Problems({
  problems,
  look = 'notice warning'
}: {
  problems: string | string[]
  look?: string
}) {
  const shown = [problems].flat().filter(Boolean)
  if (shown.length === 0) return null
  return (
    <div role="alert" class={look}>
      {shown.map(problem => (
        <p key={problem}>{problem}</p>
      ))}
    </div>
  )
}
