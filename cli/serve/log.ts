import type { DestinationStream, LoggerOptions } from 'pino'
import pino from 'pino'
import type { ProcessSettings } from '../../options.ts'
import { requestLine } from '../../routes/route.ts'

/** A pipe takes this much in one piece (PIPE_BUF), so that the lines of several processes do not mix. */
const maxWrite = 4096
/** Lines are written together, because a call to the system costs more than a line: above so many bytes, or later. */
const minLength = 3072
const maxDelay = 20

/** Creates the options of the log: JSON lines on stdout, readable ones on a terminal. */
export async function logOptions({
  logLevel: level
}: ProcessSettings): Promise<LoggerOptions & { stream: DestinationStream }> {
  const serializers = { req: requestLine }
  if (process.stdout.isTTY) {
    const { default: pretty } = await import('pino-pretty')
    return { level, serializers, stream: pretty({ colorize: true }) }
  }
  // Synchronous, so that nothing is lost at the end of the process, and a reader that pauses makes no queue grow.
  const stream = pino.destination({ dest: 1, sync: true, minLength, maxWrite, periodicFlush: maxDelay })
  process.once('exit', () => stream.flushSync())
  return { level, serializers, stream }
}
