import { progress } from '@clack/prompts'

/** Tells how far a long job is. */
export interface Progress {
  update(done: number): void
  /** Last words; without it the job has failed and the bar is left where it was. */
  finish(message: string): void
}

/** On a terminal a bar, elsewhere a line for each tenth; always on stderr. */
export function startProgress(message: string, total: number): Progress {
  return process.stderr.isTTY ? bar(message, total) : lines(message, total)
}

function bar(message: string, total: number): Progress {
  const drawn = progress({ max: total, output: process.stderr })
  drawn.start(message)
  let last = 0
  return {
    update(done) {
      drawn.advance(done - last, `${message}: ${done} of ${total}`)
      last = done
    },
    finish: text => drawn.stop(text)
  }
}

function lines(message: string, total: number): Progress {
  let told = 0
  return {
    update(done) {
      const tenth = Math.floor((done * 10) / total)
      if (tenth > told) console.error(`${message}: ${done} of ${total} (${tenth * 10} %)`)
      told = tenth
    },
    finish: text => console.error(text)
  }
}
