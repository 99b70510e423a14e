/** A redirect URI on this machine, with a port. */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost):(\d{1,5})(?=[/?]|$)/

const maxUriLength = 2048

/**
 * Describes why a redirect URI cannot be registered; undefined if it can. A valid one is `https`, `http` on this
 * machine, or has a private scheme that is a reversed domain name, RFC 8252 §7.
 */
export function findRedirectProblem(uri: string): string | undefined {
  if (uri.length > maxUriLength) return `has more than ${maxUriLength} characters`
  if (!/^[\x21-\x7E]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) return 'has characters that a URI cannot have'
  if (!URL.canParse(uri)) return 'is not an absolute URI'
  const url = new URL(uri)
  return problems.find(([isWrong]) => isWrong(uri, url))?.[1]
}

const problems: [isWrong: (uri: string, url: URL) => boolean, problem: string][] = [
  // Some parsers read `https:app.example` as a path. In a Content-Security-Policy, a semicolon ends a directive.
  [uri => /^https?:/i.test(uri) && !/^https?:\/\/[^/?]/i.test(uri), 'has no host'],
  [
    (uri, { hostname }) => /[;,'%]/.test(hostname) || /^https?:\/\/[^/?]*%/i.test(uri),
    'has a host that is not a valid name'
  ],
  [uri => uri.includes('#'), 'has a fragment'],
  [uri => uri.includes('*'), 'has a wildcard: register each URI instead'],
  [
    (uri, { username, password }) => `${username}${password}` !== '' || /^https?:\/\/[^/?]*@/i.test(uri),
    'has user information'
  ],
  [
    (_, { protocol, hostname }) => protocol === 'http:' && !loopbackHosts.includes(hostname),
    'has the scheme http, which is allowed only for this machine'
  ],
  [
    (_, { protocol }) => !/^https?:$/.test(protocol) && !protocol.includes('.'),
    'has a scheme that is neither https nor a reversed domain name'
  ]
]

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Whether a redirect URI is registered. The texts must be equal, RFC 9700 §2.1, except for the port of a loopback
 * address, RFC 8252 §7.3. `localhost` is a name and may lead elsewhere, §8.3. With `isDescribed`, its port may differ,
 * too: documents of such clients name it, and browsers resolve it to this machine.
 */
export function isRegistered(
  uri: string,
  registered: readonly string[],
  { isDescribed = false } = {}
): boolean {
  if (registered.includes(uri)) return true
  const [, host, port] = loopback.exec(uri) ?? []
  const mayDiffer = host !== undefined && (host !== 'localhost' || isDescribed)
  return mayDiffer && Number(port) <= 65_535 && registered.includes(uri.replace(loopback, 'http://$1'))
}
