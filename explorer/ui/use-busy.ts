import { useRef, useState } from 'preact/hooks'

/**
 * Runs one job at a time. A job that starts while a promise of another is pending, such as by a double click, is ignored.
 */
export function useBusy(): [isBusy: boolean, run: (job: () => unknown) => Promise<void>] {
  const isRunning = useRef(false)
  const [isBusy, setBusy] = useState(false)
  const run = async (job: () => unknown) => {
    if (isRunning.current) return
    const running = job()
    if (!(running instanceof Promise)) return
    isRunning.current = true
    setBusy(true)
    try {
      await running
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return [isBusy, run]
}

/** The attributes of a button whose job runs. It keeps the focus, which a disabled button would lose. */
export const busy = (isBusy: boolean) =>
  isBusy ? ({ 'aria-busy': true, 'aria-disabled': true } as const) : {}
