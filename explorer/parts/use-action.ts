import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { describeFailure } from '../api.ts'
import { useBusy } from './use-busy.ts'

/** A dialog whose button runs an action. */
interface Action {
  dialog: RefObject<HTMLDialogElement | null>
  isBusy: boolean
  problems: string[]
  open(): void
  close(): void
  run(): Promise<void>
}

/**
 * Runs the action of a dialog, once at a time, and closes it. The dialog stays open if `act` returns problems or
 * throws.
 */
export function useAction(action: () => Promise<string[]>): Action {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isBusy, runOnce] = useBusy()
  const [problems, setProblems] = useState<string[]>([])
  const close = () => dialog.current?.close()
  const open = () => {
    setProblems([])
    dialog.current?.showModal()
  }
  const run = () =>
    runOnce(async () => {
      const found = await action().catch((error: unknown) => [describeFailure(error)])
      setProblems(found)
      if (found.length === 0) close()
      // The user may have closed it meanwhile.
      else if (!dialog.current?.open) dialog.current?.showModal()
    })
  return { dialog, isBusy, problems, open, close, run }
}
