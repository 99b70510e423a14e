import type { DestinationStream, LoggerOptions } from 'pino'
import pino from 'pino'
import type { ProcessSettings } from '../../options.ts'
import { formatRequest } from '../../routes/route.ts'

/** Maximum bytes per write. A pipe accepts this much in one piece (PIPE_BUF), so lines of several processes do not mix. */
const maxWrite = 4096
/**
 * Several lines share one write, because a system call costs more than a line. The write happens above `minLength`
 * bytes, or after `maxDelay` milliseconds.
 */
const minLength = 3072
const maxDelay = 20

/** Creates the options of the log: JSON lines on stdout, or readable lines on a terminal. */
export async function logOptions({
  logLevel: level
}: ProcessSettings): Promise<LoggerOptions & { stream: DestinationStream }> {
  const serializers = { req: formatRequest }
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return { level, serializers, stream: pretty({ colorize: true }) }
  }
  // Synchronous, so that no line is lost at the exit, and no queue grows while the reader pauses.
  const stream = pino.destination({ dest: 1, sync: true, minLength, maxWrite, periodicFlush: maxDelay })
  process.once('exit', () => stream.flushSync())
  return { level, serializers, stream }
}
