import { requestLine } from '../../routes/request-line.ts'

/** Characters and milliseconds after which lines are written. */
const maxLength = 2 ** 16
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
      lines += line
      if (lines.length > maxLength) flush()
      else timer ??= setTimeout(flush, maxDelay)
    },
    flushSync: flush
  }
}
