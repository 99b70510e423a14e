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
  const { protocol, hostname, username, password } = new URL(uri)
  const isWeb = /^https?:$/.test(protocol)
  const authority = /^https?:\/\/([^/?]*)/i.exec(uri)?.[1]
  // Some parsers read `https:app.example` as a path.
  if (isWeb && !authority) return 'has no host'
  // In a Content-Security-Policy, a semicolon ends a directive.
  if (/[;,'%]/.test(hostname) || authority?.includes('%')) return 'has a host that is not a valid name'
  if (uri.includes('#')) return 'has a fragment'
  if (uri.includes('*')) return 'has a wildcard: register each URI instead'
  if (username || password || authority?.includes('@')) return 'has user information'
  if (protocol === 'http:' && !loopbackHosts.includes(hostname))
    return 'has the scheme http, which is allowed only for this machine'
  if (!isWeb && !protocol.includes('.'))
    return 'has a scheme that is neither https nor a reversed domain name'
  return undefined
}

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
