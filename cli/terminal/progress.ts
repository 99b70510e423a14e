import { progress } from '@clack/prompts'

/** Tells how far a long job is. */
export interface Progress {
  update(done: number, total: number): void
  /** Last words; without it the job has failed and the bar is left where it was. */
  finish(message: string): void
}

/** On a terminal a bar, elsewhere a line for each tenth; always on stderr. */
export function startProgress(message: string): Progress {
  return process.stderr.isTTY ? bar(message) : lines(message)
}

function bar(message: string): Progress {
  let drawn: ReturnType<typeof progress> | undefined
  let last = 0
  return {
    update(done, total) {
      if (!drawn) {
        drawn = progress({ max: total, output: process.stderr })
        drawn.start(message)
      }
      // A job that had to begin again is behind for a while: the bar waits for it.
      drawn.advance(Math.max(0, done - last), `${message}: ${done} of ${total}`)
      last = Math.max(last, done)
    },
    finish: text => (drawn ? drawn.stop(text) : console.error(text))
  }
}

function lines(message: string): Progress {
  let told = 0
  return {
    update(done, total) {
      const tenth = Math.floor((done * 10) / total)
      if (tenth > told) console.error(`${message}: ${done} of ${total} (${tenth * 10} %)`)
      told = tenth
    },
    finish: text => console.error(text)
  }
}
