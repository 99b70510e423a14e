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

/** The attributes of a button whose job runs. It keeps the focus, which a disabled button would lose. */
export const busy = (isBusy: boolean) =>
  isBusy ? ({ 'aria-busy': true, 'aria-disabled': true } as const) : {}
