import type { IncomingMessage, RequestOptions } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { isIPv6 } from 'node:net'
import type { ListeningSettings } from '../../options.ts'
import { request } from '../node-http.ts'
import { CommandError } from '../terminal/command.ts'

/** Milliseconds that the service has. */
const timeout = 5000

/** Sends a probe to the service with these settings. Throws CommandError if it does not respond. */
export async function askProbe(
  settings: ListeningSettings,
  path: string
): Promise<{ status: number; text: string }> {
  const isSecure = settings.tlsCertFile !== undefined && settings.healthPort === undefined
  const response = await send({ ...findTarget(settings), path, timeout, agent: false }, isSecure)
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, text }
}

function findTarget({ host, port, socketPath, healthHost, healthPort }: ListeningSettings): RequestOptions {
  if (healthPort !== undefined) return toAddress(healthHost, healthPort, 'HEALTH_PORT')
  return socketPath === undefined ? toAddress(host, port, 'PORT') : { socketPath }
}

function toAddress(host: string, port: number, name: string): RequestOptions {
  if (port === 0) throw new CommandError(`${name} is 0, so nobody knows where the service listens`)
  // Who listens on all addresses listens on this one.
  const isAny = ['0.0.0.0', '::'].includes(host)
  return { host: isAny ? (isIPv6(host) ? '::1' : '127.0.0.1') : host, port }
}

function send(options: RequestOptions, isSecure: boolean): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // A probe sends no secret, and the certificate is for the name that clients use.
    const sent = isSecure
      ? requestSecurely({ ...options, rejectUnauthorized: false }, resolve)
      : request(options, resolve)
    sent.once('timeout', () => sent.destroy(new Error('no response in time')))
    sent.once('error', ({ message }) => reject(new CommandError(`the service does not respond: ${message}`)))
    sent.end()
  })
}
