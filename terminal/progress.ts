import { progress } from '@clack/prompts'

/** Reports the progress of a long job. */
interface Progress {
  update(done: number, total: number): void
  /** Prints the final message. After a failure it is not called, and the bar stays where it was. */
  finish(message: string): void
}

/** Shows a bar on a terminal. Otherwise prints a line per 10 %. Both go to stderr. */
export function startProgress(message: string): Progress {
  return process.stderr.isTTY ? showBar(message) : printLines(message)
}

function showBar(message: string): Progress {
  let drawn: ReturnType<typeof progress> | undefined
  let last = 0
  return {
    update(done, total) {
      if (!drawn) {
        drawn = progress({ max: total, output: process.stderr })
        drawn.start(message)
      }
      // A retried job starts from 0 again. The bar then waits until the job has caught up.
      drawn.advance(Math.max(0, done - last), `${message}: ${done} of ${total}`)
      last = Math.max(last, done)
    },
    finish: text => (drawn ? drawn.stop(text) : console.error(text))
  }
}

function printLines(message: string): Progress {
  let printed = 0
  return {
    update(done, total) {
      const tenth = Math.floor((done * 10) / total)
      if (tenth > printed) console.error(`${message}: ${done} of ${total} (${tenth * 10} %)`)
      printed = tenth
    },
    finish: text => console.error(text)
  }
}
