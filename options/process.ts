import { isTypo } from '../runtime/nearest.ts'
import { boolean, choice, integer, isNetwork, path, text } from './setting.ts'

const namesOfNetworks = ['loopback', 'linklocal', 'uniquelocal']

/** Whether a text is a list of addresses, networks and Fastify's names for networks. */
const isProxyList = (list: string): boolean =>
  list
    .split(',')
    .map(entry => entry.trim())
    .every(entry => namesOfNetworks.includes(entry) || isNetwork(entry, { shortest: 1, mayBeAddress: true }))

/** Whether NODE_ENV is exactly `production`, or clearly another name. Misspellings are refused. */
const isEnvironment = (name: string): boolean =>
  name === 'production' ||
  (!/^\s*prod(uction)?\s*$/i.test(name) && !isTypo(name.trim().toUpperCase(), 'PRODUCTION'))

/** Settings for listening. */
export const listeningSettings = {
  host: text(host => host !== '', 'a host name or an address', '127.0.0.1').describe(
    'host name or address to listen on'
  ),
  port: integer([0, 65_535], 3000).describe('port to listen on; 0 picks a free port, which the log shows'),
  reusePort: boolean(false).describe(
    'share the port with other processes that set this too; the system distributes connections among them (Linux, FreeBSD)'
  ),
  socketPath: text(
    path => path !== '' && Buffer.byteLength(path) <= 107,
    'a path of at most 107 bytes'
  ).describe('Unix domain socket to listen on instead of a port; its owner and group may connect'),
  tlsCertFile: path.describe(
    'PEM file with the certificate and its intermediate certificates, for HTTPS and HTTP/2; SIGHUP reloads it'
  ),
  tlsKeyFile: path.describe('PEM file with the private key of the certificate'),
  healthPort: integer([0, 65_535]).describe(
    'port for probes and metrics only, on all addresses, open from the beginning of the start; none if absent'
  )
}

/** Settings of the process around the service. */
export const processOnlySettings = {
  configFile: path.describe('file with settings, named like their variables, as JSON or in `.env` syntax'),
  ...listeningSettings,
  workers: integer([1, 64], 1).describe(
    'number of processes that serve the port together; a process that ends is restarted'
  ),
  shutdownDelay: integer([0, 3600], 0).describe(
    'seconds after SIGTERM in which the service reports that it is not ready but still serves requests, so that load balancers notice'
  ),
  shutdownTimeout: integer([1, 3600], 10).describe(
    'seconds after the shutdown delay for requests in progress; then the process exits with code 1'
  ),
  trustProxy: text(isProxyList, 'a list of addresses and networks, such as `loopback, 10.0.0.0/8`').describe(
    'addresses and networks of the proxies whose X-Forwarded-For is trusted; with SOCKET_PATH, the peer is trusted too'
  ),
  explorer: boolean(true).describe('serve the explorer, a web page for people, at `/`', {
    production: false
  }),
  metrics: boolean().describe(
    'serve the metrics at `/metrics`, without authentication: on HEALTH_PORT if it is set, otherwise on the port of the service; if METRICS is absent in production, on HEALTH_PORT only'
  ),
  logLevel: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info').describe(
    'pino log level; JSON lines on stdout, short lines on a terminal'
  ),
  environment: text(isEnvironment, 'exactly `production`, or something else').describe(
    '`production` disables demo data and, by default, introspection',
    { env: 'NODE_ENV' }
  )
}
