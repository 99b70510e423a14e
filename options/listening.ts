import { boolean, integer, path, text } from './setting.ts'

const isHost = (host: string): boolean => host !== ''

/** Settings for listening. */
export const listeningSettings = {
  host: text(isHost, {
    default: '127.0.0.1',
    expected: 'a host name or an address',
    description: 'host name or address to listen on'
  }),
  port: integer([0, 65_535], {
    default: 3000,
    description: 'port to listen on; 0 picks a free port, which the log shows'
  }),
  reusePort: boolean({
    default: false,
    description:
      'share the port with other processes that set this too; the system distributes connections among them (Linux, FreeBSD)'
  }),
  socketPath: text(path => path !== '' && [...path].length <= 107, {
    expected: 'a path of at most 107 characters',
    description: 'Unix domain socket to listen on instead of a port'
  }),
  socketMode: text(mode => /^0?[0-7]{3}$/.test(mode), {
    default: '0660',
    expected: 'an octal mode such as 0660',
    description: 'file mode of the socket: who may connect'
  }),
  tlsCertFile: path({
    description:
      'PEM file with the certificate, and those between it and its root, for HTTPS and HTTP/2; SIGHUP reads it again'
  }),
  tlsKeyFile: path({ description: 'PEM file with its private key' }),
  healthHost: text(isHost, {
    default: '127.0.0.1',
    expected: 'a host name or an address',
    description: 'host name or address of the listener for probes and metrics'
  }),
  healthPort: integer([0, 65_535], {
    description:
      'port of a listener for probes and metrics alone, from the beginning of the start; no such listener if absent'
  })
}
