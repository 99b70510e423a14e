import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Formatted } from '../../metrics/format.ts'
import type { ListeningSettings } from '../../options.ts'
import type { Report } from '../../routes/readiness.ts'
import { createServer } from '../node-http.ts'
import { CommandError } from '../terminal/command.ts'

/** What the listener shows once the start has finished. */
export interface HealthSources {
  readiness(): Promise<Report>
  /** The metrics of the whole process, in the text format of Prometheus. */
  metrics?: ((accept?: string) => Promise<Formatted>) | undefined
  log: { debug(line: object, text: string): void; error(line: object, text: string): void }
}

interface Answer {
  status: number
  body: object | string
  contentType?: string
}

const contentType = 'application/json; charset=utf-8'
const unavailable = {
  status: 'unavailable',
  code: 'unavailable',
  message: 'the service is temporarily unavailable'
}

/** Milliseconds a client may take to send a request. */
const requestTimeout = 5000

/**
 * A listener for probes and metrics alone, on an address that others may reach. It responds from the beginning of the
 * start, during long migrations, until the end of the process. Without Fastify, which is not loaded by then.
 */
export class HealthServer {
  readonly #server: Server
  #sources: HealthSources | undefined

  private constructor() {
    const listener: RequestListener = async (
      { method = '', url = '', headers: { accept }, socket },
      response
    ) => {
      const path = new URL(url, 'http://localhost').pathname
      const { status, body, contentType: type = contentType } = await this.#answer(method, path, accept)
      const headers = {
        'Content-Type': type,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff'
      }
      response.writeHead(status, status === 405 ? { ...headers, Allow: 'GET, HEAD' } : headers)
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
      // In the form that the log expects of requests. An unknown path may have a secret in it.
      const routeOptions = { url: paths.has(path) ? path : undefined }
      const req = { method, routeOptions, ip: socket.remoteAddress }
      this.#sources?.log.debug({ req, statusCode: status }, 'request completed')
    }
    const timeouts = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 1000 }
    this.#server = createServer(timeouts, (request, response) => void listener(request, response))
  }

  /** Listens, if the settings have a port for it. Throws CommandError if that is not possible. */
  static async open({
    healthHost: host,
    healthPort: port
  }: ListeningSettings): Promise<HealthServer | undefined> {
    if (port === undefined) return undefined
    const health = new HealthServer()
    health.#server.listen({ host, port })
    await once(health.#server, 'listening').catch(({ message }) => {
      throw new CommandError(`cannot listen for probes: ${message}`)
    })
    return health
  }

  /** Where it listens. */
  get address(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`
  }

  /** The start has finished. */
  serve(sources: HealthSources): void {
    this.#sources = sources
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(method: string, path: string, accept: string | undefined): Promise<Answer> {
    const answer = paths.get(path)
    if (!answer) return unknownPath
    if (method !== 'GET' && method !== 'HEAD') return wrongMethod
    try {
      return await answer(this.#sources, accept)
    } catch (err) {
      this.#sources?.log.error({ err, path }, 'a probe failed')
      return { status: 500, body: { code: 'internal_server_error', message: 'internal server error' } }
    }
  }
}

const ok: Answer = { status: 200, body: { status: 'ok' } }
const notStarted: Answer = { status: 503, body: { ...unavailable, checks: { start: 'running' } } }
const unknownPath: Answer = { status: 404, body: { code: 'not_found', message: 'no such endpoint' } }
const wrongMethod: Answer = {
  status: 405,
  body: { code: 'method_not_allowed', message: 'the method is not allowed' }
}

type ShowPath = (sources: HealthSources | undefined, accept?: string) => Answer | Promise<Answer>

/** What each path shows; there are no sources until the start has finished. */
const paths = new Map<string, ShowPath>([
  ['/livez', () => ok],
  ['/startupz', sources => (sources ? ok : notStarted)],
  ['/readyz', sources => (sources ? showReadiness(sources) : notStarted)],
  ['/metrics', (sources, accept) => (sources?.metrics ? showMetrics(sources.metrics(accept)) : unknownPath)]
])

async function showReadiness(sources: HealthSources): Promise<Answer> {
  const report = await sources.readiness()
  if (report.status === 'ok') return { status: 200, body: report }
  return { status: 503, body: { ...unavailable, ...report } }
}

async function showMetrics(metrics: Promise<Formatted>): Promise<Answer> {
  const { contentType, text } = await metrics
  return { status: 200, body: text, contentType }
}
