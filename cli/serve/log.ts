import pino from 'pino'
import { requestLine } from '../../routes/request-line.ts'

/** Characters and milliseconds after which lines are written. */
const maxBuffered = 2 ** 14 - 1
const maxDelay = 10

/** Creates the options of the log: JSON lines on stdout, readable ones on a terminal. */
export async function logOptions(level: string) {
  const serializers = { req: requestLine }
  if (!process.stdout.isTTY) return { level, serializers, stream: linesTogether() }
  const { default: pretty } = await import('pino-pretty')
  return { level, serializers, stream: pretty({ colorize: true }) }
}

/** Writes lines together: a call to the system costs more than a line. */
function linesTogether() {
  const stdout = pino.destination({ dest: 1, minLength: maxBuffered, sync: true })
  let isWaiting = false
  const flush = () => {
    isWaiting = false
    // `flushSync` would wait for the disk, too.
    stdout.flush()
  }
  process.once('exit', flush)
  return {
    write(line: string): void {
      stdout.write(line)
      if (isWaiting) return
      isWaiting = true
      setTimeout(flush, maxDelay)
    },
    flushSync: flush
  }
}
