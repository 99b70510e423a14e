import { isNetworkList } from './check.ts'
import { listeningSettings } from './listening.ts'
import { Type } from './types.ts'

/** Settings of the process around the service. */
export const processSettings = {
  configFile: Type.Optional(
    Type.String({
      env: 'CONFIG_FILE',
      minLength: 1,
      expected: 'a path',
      description: 'file with settings by the names of their variables, as JSON or in the syntax of `.env`'
    })
  ),
  ...listeningSettings,
  workers: Type.Integer({
    env: 'WORKERS',
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'worker processes that serve the port or the socket together; 1 for a single process'
  }),
  shutdownDelay: Type.Integer({
    env: 'SHUTDOWN_DELAY',
    default: 0,
    minimum: 0,
    maximum: 3600,
    description:
      'seconds after SIGTERM in which the service is not ready but serves everything, until load balancers know'
  }),
  shutdownTimeout: Type.Integer({
    env: 'SHUTDOWN_TIMEOUT',
    default: 10,
    minimum: 1,
    maximum: 3600,
    description: 'seconds after that delay for the requests in progress; then the process exits with code 1'
  }),
  trustProxy: Type.Optional(
    Type.Refine(
      Type.String({
        env: 'TRUST_PROXY',
        expected: 'a list of addresses and networks, such as `loopback, 10.0.0.0/8`',
        description:
          'addresses and networks of the proxies whose X-Forwarded-For is trusted; with SOCKET_PATH, also the peer'
      }),
      isNetworkList
    )
  ),
  explorer: Type.Boolean({
    env: 'EXPLORER',
    default: true,
    production: false,
    expected: 'true or false',
    description: 'serve the explorer, a web page for people, at `/`'
  }),
  metrics: Type.Optional(
    Type.Boolean({
      env: 'METRICS',
      expected: 'true or false',
      description:
        'serve the metrics at `/metrics`, without authentication: on HEALTH_PORT if it is set, otherwise on the port of the service; if METRICS is absent in production, on HEALTH_PORT only'
    })
  ),
  logLevel: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    env: 'LOG_LEVEL',
    default: 'info',
    description: 'pino log level; JSON lines on stdout, pretty-printed on a terminal'
  }),
  environment: Type.Optional(
    Type.String({
      env: 'NODE_ENV',
      description: '`production` disables demo data and, by default, introspection'
    })
  )
}
