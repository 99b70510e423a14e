import pino, { type LoggerOptions } from 'pino'
import type { ProcessSettings } from '../../options/index.ts'
import { formatRequest } from '../../routes/route.ts'
import { LogOutput } from './log-output.ts'

/** Standard output, which is the log of all servers of the process. */
export const logOutput = new LogOutput(process.stdout, lines =>
  pino(logOutput).error(lines, 'the log can be written again, after lines were dropped')
)

/** Formats the message of a line. That of a request has the facts that a person looks for. */
function summarize(log: Record<string, unknown>, messageKey: string): string {
  const message = String(log[messageKey])
  if (message !== 'request completed') return message
  const { req, statusCode, milliseconds, operation } = log as {
    req: ReturnType<typeof formatRequest>
    statusCode: number
    milliseconds: number
    operation?: string
  }
  const words = [
    req.method,
    req.path ?? '(unknown path)',
    statusCode,
    `${milliseconds.toFixed(1)} ms`,
    operation
  ]
  return words.filter(word => word !== undefined).join(' ')
}

/** Fields that take more room than they are worth on a terminal, or that {@link summarize} has. */
const hidden = 'pid,hostname,reqId,traceId,req,statusCode,milliseconds,operation,bytes,sub,jti,cost'

/** Creates the options of the log: JSON lines on stdout, or readable lines on a terminal. */
export async function logOptions({
  logLevel: level
}: ProcessSettings): Promise<LoggerOptions & { stream: { write(line: string): void } }> {
  const serializers = { req: formatRequest }
  if (!process.stdout.isTTY) return { level, serializers, stream: logOutput }
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({
    // https://no-color.org
    colorize: !process.env.NO_COLOR,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    messageFormat: summarize,
    ignore: hidden
  })
  return { level, serializers, stream: { write: line => logOutput.write(format(line)) } }
}
