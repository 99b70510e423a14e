import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { refusalOf } from '../api.ts'

/** A dialog whose button runs an action. */
export interface Action {
  dialog: RefObject<HTMLDialogElement | null>
  isBusy: boolean
  problems: string[]
  open(): void
  close(): void
  run(): Promise<void>
}

/** Runs the action of a dialog and closes it. The dialog stays open if `act` returns problems or throws. */
export function useAction(action: () => Promise<string[]>): Action {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const close = () => dialog.current?.close()
  const open = () => {
    setProblems([])
    dialog.current?.showModal()
  }
  const run = async () => {
    setBusy(true)
    const found = await action().catch((error: unknown) => [
      refusalOf(error) ?? 'The service did not answer. Nothing was changed, as far as this page knows.'
    ])
    setBusy(false)
    setProblems(found)
    if (found.length === 0) close()
  }
  return { dialog, isBusy, problems, open, close, run }
}
