import type { FastifyBaseLogger } from 'fastify'
import type { ListeningSettings } from '../../../options.ts'
import type { HttpServers } from './http-server.ts'
import { describeCertificate, readTlsFiles } from './tls.ts'

type Log = Pick<FastifyBaseLogger, 'error' | 'info'>

/** Reads the TLS files again, for new connections. If they are unusable, those in use stay. */
export function reloadTls(settings: ListeningSettings, servers: HttpServers, log: Log): void {
  try {
    const files = readTlsFiles(settings)
    if (files) {
      servers.setTls(files)
      log.info(describeCertificate(files), 'TLS certificate loaded')
    } else log.info('SIGHUP: without TLS there is nothing to read again')
  } catch (err) {
    log.error({ err }, 'the TLS files are unusable, the certificate in use stays')
  }
}

/**
 * Calls `reload` on SIGHUP. On a terminal the signal means that the terminal is gone, and ends the process as before.
 */
export function onHangUp(reload: () => void, close: () => void): void {
  process.on('SIGHUP', () => (process.stdout.isTTY ? close() : reload()))
}
