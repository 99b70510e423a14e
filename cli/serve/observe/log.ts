import pino from 'pino'
import type { ProcessSettings } from '../../../options.ts'
import { requestLine } from '../../../routes/route.ts'

/** Characters and milliseconds after which lines are written. */
const maxLength = 2 ** 14
const maxDelay = 10

/** The same for several processes: a pipe takes this much in one piece (PIPE_BUF), so that their lines do not mix. */
const maxSharedLength = 4096

/** Creates the options of the log: JSON lines on stdout, readable ones on a terminal. */
export async function logOptions({ logLevel: level, workers }: ProcessSettings) {
  const serializers = { req: requestLine }
  if (!process.stdout.isTTY)
    return { level, serializers, stream: linesTogether(workers > 1 ? maxSharedLength : maxLength) }
  const { default: pretty } = await import('pino-pretty')
  return { level, serializers, stream: pretty({ colorize: true }) }
}

/** Writes lines together: a call to the system costs more than a line. */
function linesTogether(limit: number) {
  // Synchronous, so that nothing is lost at the end of the process, and a reader that pauses makes no queue grow.
  const stdout = pino.destination({ dest: 1, sync: true })
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (lines !== '') stdout.write(lines)
    lines = ''
  }
  process.once('exit', flush)
  return {
    write(line: string): void {
      if (lines.length + line.length > limit) flush()
      lines += line
      timer ??= setTimeout(flush, maxDelay)
    },
    flushSync: flush
  }
}
