/** Requests to other servers, only at addresses that are public or in an allowed network. */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { toEntries } from './lists.ts'

/** Makes a list of networks such as `10.1.0.0/16 fd00::/8`. */
export function toBlockList(networks: string): BlockList {
  const list = new BlockList()
  for (const network of toEntries(networks)) {
    const [address = '', bits = ''] = network.split('/')
    list.addSubnet(address, Number(bits), findFamily(address))
  }
  return list
}

const findFamily = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether the service may connect to an address: it must be public, or in an allowed network. */
export const mayConnect = (address: string, allowed: BlockList): boolean =>
  isIP(address) !== 0 && (allowed.check(address, findFamily(address)) || isPublic(address))

/** The public part of IPv6. The library also calls addresses outside this part unicast, such as `::7f00:1`. */
const publicIpv6 = toBlockList('2000::/3')

const isPublic = (address: string): boolean =>
  ipaddr.parse(address).range() === 'unicast' && (isIP(address) === 4 || publicIpv6.check(address, 'ipv6'))

/**
 * Makes a `lookup` that checks the addresses of a host. The connection uses the checked addresses, so a different DNS
 * answer a moment later has no effect.
 */
export function makeGuardedLookup(allowed: BlockList): LookupFunction {
  return (host, options, done) =>
    dnsLookup(host, { ...options, all: true }, (error, result) => {
      const addresses = result as LookupAddress[] | undefined
      const refused = addresses?.some(({ address }) => !mayConnect(address, allowed))
      const fault = error ?? (refused || !addresses?.length ? makeRefusal(host) : null)
      if (fault) done(fault, [])
      else if (options.all) done(null, addresses as LookupAddress[])
      else done(null, addresses?.[0]?.address as string, addresses?.[0]?.family)
    })
}

const makeRefusal = (host: string): NodeJS.ErrnoException =>
  new Error(`${host} has an address that is not public`)

interface OutgoingRequest {
  method?: 'GET' | 'POST'
  headers: OutgoingHttpHeaders
  body?: string
  /** Networks that are allowed, although they are not public. */
  allowed: BlockList
  /** Aborts the request and the response. */
  signal: AbortSignal
  /** Milliseconds until the response must begin; by default, only the signal limits them. */
  firstByteTimeoutMs?: number
}

/**
 * Sends a request to a public or allowed address, and returns the response, whatever its status. The caller must read
 * the body or destroy the response.
 */
export function sendRequest(
  url: URL,
  { body, allowed, firstByteTimeoutMs, ...options }: OutgoingRequest
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Not an `import`, which would also load `fetch`: see cli/serve/node-http.ts.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve, reject) => {
    // An address needs no lookup, so it is checked here.
    if (isIP(host) && !mayConnect(host, allowed)) throw new Error('the address is not public')
    const sent = request(url, { ...options, lookup: makeGuardedLookup(allowed), agent: false }, resolve)
    if (firstByteTimeoutMs !== undefined) {
      const late = () => sent.destroy(new Error('the server did not respond in time'))
      const timer = setTimeout(late, firstByteTimeoutMs)
      sent.on('response', () => clearTimeout(timer)).on('close', () => clearTimeout(timer))
    }
    sent
      .on('error', reject)
      // After an unexpected status 101, there is neither a response nor an error.
      .on('close', () => reject(new Error('the server did not respond in HTTP')))
      .end(body)
  })
}

/** Reads a whole body. Rejects with the error that `refuse` makes if it has more than `maxSize` bytes. */
export async function readAll(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxSize: number,
  refuse = () => new Error(`the response has more than ${maxSize} bytes`)
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxSize) throw refuse()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Whether keys may be read from a URL: by https, or on this machine. */
export function isSecureUrl(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLocal)
}
