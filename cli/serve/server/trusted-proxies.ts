import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { ProcessSettings } from '../../../options.ts'

/** Networks by the names that Fastify has for them. */
const namedNetworks: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
}

type TrustProxy = string | false | ((address: string | undefined) => boolean)

/**
 * Returns Fastify's `trustProxy`. The peer of a Unix domain socket has no address: it counts as one of the proxies. With
 * TCP a missing address means that the client is gone.
 */
export function selectProxies({ trustProxy, socketPath }: ProcessSettings): TrustProxy {
  if (trustProxy === undefined) return false
  return socketPath === undefined ? trustProxy : trustPeerAnd(trustProxy)
}

function trustPeerAnd(networks: string): (address: string | undefined) => boolean {
  const trusted = new BlockList()
  for (const name of networks.split(',').map(part => part.trim())) {
    for (const network of namedNetworks[name] ?? [name]) {
      const [address = '', prefix] = network.split('/')
      const { plain, family, bits } = parseAddress(address)
      // An IPv4 address in IPv6 notation has its prefix counted from the beginning of the notation.
      const mapped = plain !== address ? 96 : 0
      trusted.addSubnet(plain, prefix === undefined ? bits : Math.max(0, Number(prefix) - mapped), family)
    }
  }
  return address => {
    if (address === undefined) return true
    const { plain, family } = parseAddress(address)
    return (isIPv4(plain) || isIPv6(plain)) && trusted.check(plain, family)
  }
}

function parseAddress(address: string) {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return isIPv4(plain)
    ? ({ plain, family: 'ipv4', bits: 32 } as const)
    : ({ plain, family: 'ipv6', bits: 128 } as const)
}
