import type { TargetedPointerEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'

/** Runs one job at a time. A job that starts while another runs, such as by a double click, is ignored. */
export function useBusy(): [isBusy: boolean, run: (job: () => Promise<void>) => Promise<void>] {
  const isRunning = useRef(false)
  const [isBusy, setBusy] = useState(false)
  const run = async (job: () => Promise<void>) => {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    try {
      await job()
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return [isBusy, run]
}

/** The attributes of a button that runs a job. While it runs, it keeps the focus, which a disabled button would lose. */
export const busy = (isBusy: boolean) => ({
  // The field that the click leaves may show a problem, which moves the button before the click ends.
  onPointerDown: ({ currentTarget, pointerId }: TargetedPointerEvent<HTMLButtonElement>) =>
    currentTarget.setPointerCapture(pointerId),
  ...(isBusy && ({ 'aria-busy': true, 'aria-disabled': true } as const))
})
