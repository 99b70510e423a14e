import pino, { type LoggerOptions } from 'pino'
import type { ProcessSettings } from '../../options.ts'
import { formatRequest } from '../../routes/route.ts'
import { LogOutput } from './log-output.ts'

/** Standard output, which is the log of all servers of the process. */
export const logOutput = new LogOutput(process.stdout, lines =>
  pino(logOutput).error(lines, 'the log can be written again, some lines were dropped')
)

/** Creates the options of the log: JSON lines on stdout, or readable lines on a terminal. */
export async function logOptions({
  logLevel: level
}: ProcessSettings): Promise<LoggerOptions & { stream: { write(line: string): void } }> {
  const serializers = { req: formatRequest }
  if (!process.stdout.isTTY) return { level, serializers, stream: logOutput }
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ colorize: true })
  return { level, serializers, stream: { write: line => logOutput.write(format(line)) } }
}
