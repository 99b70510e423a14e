import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { AccessTokenClaims } from '../../../credentials/access-token.ts'

type Line = [object: unknown, message?: string, ...values: unknown[]]

/** The logger of a request. It is made when the request logs something, which few do: making it costs as much as a line. */
export class RequestLog {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Parameters<FastifyBaseLogger['child']>
  #made: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, ...bindings: Parameters<FastifyBaseLogger['child']>) {
    this.#parent = parent
    this.#bindings = bindings
  }

  get #log(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(...this.#bindings)
    return this.#made
  }

  get level(): string {
    return this.#log.level
  }

  child(...bindings: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...bindings)
  }

  fatal(...line: Line): void {
    this.#log.fatal(...line)
  }

  error(...line: Line): void {
    this.#log.error(...line)
  }

  warn(...line: Line): void {
    this.#log.warn(...line)
  }

  info(...line: Line): void {
    this.#log.info(...line)
  }

  debug(...line: Line): void {
    this.#log.debug(...line)
  }

  trace(...line: Line): void {
    this.#log.trace(...line)
  }

  silent(...line: Line): void {
    this.#log.silent(...line)
  }
}

/** Characters of the name of an operation. */
const longestName = 100

/** Logs one line per request; Fastify would log two. */
export class OneLinePerRequest extends LogController {
  override incomingRequest() {}
  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply) {
    const { productCost: cost, productKept: kept, productToken: token } = request
    const client = token ? undefined : request.productClient
    const operation = request.productOperation?.name?.slice(0, longestName)
    const line = {
      reqId: request.id,
      ...(request.productTrace && { traceId: request.productTrace.traceId }),
      req: request,
      statusCode: reply.statusCode,
      milliseconds: reply.elapsedTime,
      ...(client && { clientId: client.id }),
      ...(operation && { operation }),
      ...(cost && { cost }),
      bytes: Number(reply.getHeader('content-length') ?? 0),
      ...(kept && { kept }),
      ...(error && { err: error })
    }
    const { log } = request.server
    const logger = token ? loggerOf(token, log) : log
    logger[request.routeOptions.config.productLogLevel ?? 'info'](line, 'request completed')
  }
}

/** Loggers of tokens. Their fields are formatted once, not for each line. */
const loggers = new WeakMap<AccessTokenClaims, FastifyBaseLogger>()

function loggerOf(token: AccessTokenClaims, log: FastifyBaseLogger): FastifyBaseLogger {
  const known = loggers.get(token)
  if (known) return known
  const { client_id: clientId, sub, jti } = token
  const logger = log.child({ clientId, sub, jti })
  loggers.set(token, logger)
  return logger
}
