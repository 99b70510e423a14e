import type { ProcessSettings } from '../../options.ts'
import { requestLine } from '../../routes/request-line.ts'

/** Characters and milliseconds after which lines are written. */
const maxLength = 2 ** 16
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
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    process.stdout.write(lines)
    lines = ''
  }
  // Whoever reads the log may end first.
  process.stdout.on('error', () => {})
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
