import { Type } from './types.ts'

/** Settings of where the process listens. */
export const listeningSettings = {
  host: Type.String({
    env: 'HOST',
    default: '127.0.0.1',
    minLength: 1,
    expected: 'a host name or an address',
    description: 'host name or address to listen on'
  }),
  port: Type.Integer({
    env: 'PORT',
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: 'port to listen on; 0 picks a free port, which the log shows'
  }),
  socketPath: Type.Optional(
    Type.String({
      env: 'SOCKET_PATH',
      minLength: 1,
      maxLength: 107,
      expected: 'a path of at most 107 characters',
      description: 'Unix domain socket to listen on instead of a port'
    })
  ),
  socketMode: Type.String({
    env: 'SOCKET_MODE',
    default: '0660',
    pattern: '^0?[0-7]{3}$',
    expected: 'an octal mode such as 0660',
    description: 'file mode of the socket: who may connect'
  }),
  tlsCertFile: Type.Optional(
    Type.String({
      env: 'TLS_CERT_FILE',
      minLength: 1,
      expected: 'a path',
      description:
        'PEM file with the certificate, and those between it and its root, for HTTPS and HTTP/2; SIGHUP reads it again'
    })
  ),
  tlsKeyFile: Type.Optional(
    Type.String({
      env: 'TLS_KEY_FILE',
      minLength: 1,
      expected: 'a path',
      description: 'PEM file with its private key'
    })
  ),
  healthHost: Type.String({
    env: 'HEALTH_HOST',
    default: '127.0.0.1',
    minLength: 1,
    expected: 'a host name or an address',
    description: 'host name or address of the listener for probes and metrics'
  }),
  healthPort: Type.Optional(
    Type.Integer({
      env: 'HEALTH_PORT',
      minimum: 0,
      maximum: 65_535,
      description:
        'port of a listener for probes and metrics alone, from the beginning of the start; no such listener if absent'
    })
  )
}
