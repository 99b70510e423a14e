import { once } from 'node:events'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { isIPv6 } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ListeningSettings, readListening } from '../options/index.ts'
import { type Command, CommandError, UsageError } from '../terminal/command.ts'

/** Milliseconds that the service may take to respond. */
const timeout = 5000

export const command: Command = {
  summary: 'Check the health of the running service',
  settings: 'all',
  options: {
    '--live': 'check whether the process responds',
    '--startup': 'check whether the service has started',
    '--ready': 'check whether the service is ready for requests (the default)',
    '--json': 'print the response of the probe'
  },
  details: `
Exit code 0: the service is healthy; 1: it is not, or does not respond within five seconds. Asks HEALTH_PORT if it is set,
otherwise the service itself at SOCKET_PATH, or HOST and PORT. Use it in HEALTHCHECK of Docker and exec probes of
Kubernetes.`,
  async run({ sources, options }) {
    const chosen = ['live', 'startup', 'ready'].filter(name => options[name])
    if (chosen.length > 1) throw new UsageError('give one of --live, --startup and --ready')
    const probe = chosen[0] ?? 'ready'
    const response = await send(readListening(sources), `/${probe}z`)
    const body = await text(response)
    if (options.json) console.log(body)
    if (response.statusCode !== 200) throw new CommandError(`the service is not healthy: ${body}`)
    if (options.json !== true) console.log(chosen[0] === undefined ? 'ready' : `${probe}: ok`)
  }
}

/** Sends a probe to the service with these settings. Throws CommandError if it does not respond. */
async function send(settings: ListeningSettings, path: string): Promise<IncomingMessage> {
  const isSecure = settings.tlsCertFile !== undefined && settings.healthPort === undefined
  const { request } = isSecure ? await import('node:https') : await import('./serve/node-http.ts')
  // The certificate is for the host name that clients use, not for this address. A probe sends no secret.
  const options = { ...findTarget(settings), path, timeout, agent: false, rejectUnauthorized: false }
  const sent = request(options)
  sent.once('timeout', () => sent.destroy(new Error('no response in time')))
  sent.end()
  const [response] = await once(sent, 'response').catch(({ message }) => {
    throw new CommandError(`the service does not respond: ${message}`)
  })
  return response
}

function findTarget({ host, port, socketPath, healthPort }: ListeningSettings): RequestOptions {
  if (healthPort !== undefined) return toAddress('127.0.0.1', healthPort, 'HEALTH_PORT')
  return socketPath === undefined ? toAddress(host, port, 'PORT') : { socketPath }
}

function toAddress(host: string, port: number, name: string): RequestOptions {
  if (port === 0) throw new CommandError(`${name} is 0, so the port of the service is unknown`)
  // A service on all addresses also listens on the loopback address.
  const isAny = ['0.0.0.0', '::'].includes(host)
  return { host: isAny ? (isIPv6(host) ? '::1' : '127.0.0.1') : host, port }
}
