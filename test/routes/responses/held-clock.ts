import type { Test } from 'tap'

interface HeldTimer {
  /** Milliseconds until it runs. */
  left: number
  refreshes: number
  run(): void
}

/** A clock of long timers: their time passes when the test says so. Shorter timers are real. */
export class HeldClock {
  readonly timers: HeldTimer[] = []

  constructor(t: Test, shortest: number) {
    const { setTimeout, clearTimeout } = globalThis
    t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout }))
    const hold = (run: () => void, delay: number) => {
      const timer = {
        left: delay,
        refreshes: 0,
        run,
        unref: () => timer,
        refresh() {
          timer.left = delay
          timer.refreshes++
          return timer
        }
      }
      this.timers.push(timer)
      return timer
    }
    Object.assign(globalThis, {
      setTimeout: (run: () => void, delay: number, ...more: unknown[]) =>
        delay < shortest ? setTimeout(run, delay, ...more) : hold(run, delay),
      clearTimeout: (timer: NodeJS.Timeout | undefined) => {
        const held = this.timers.find(each => (each as unknown) === timer)
        if (held) held.left = 0
        else clearTimeout(timer)
      }
    })
  }

  /** Lets time pass. */
  pass(milliseconds: number): void {
    for (const timer of this.timers) {
      if (timer.left <= 0) continue
      timer.left -= milliseconds
      if (timer.left <= 0) timer.run()
    }
  }
}
