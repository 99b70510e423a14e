/**
 * Headers of the pages of the explorer. Scripts, styles and data come from the service alone; pictures also from the IPFS
 * gateway, if there is one.
 */
export function pageHeaders(ipfsGateway: string | undefined, more: Record<string, string> = {}) {
  const pictures = ipfsGateway === undefined ? [] : [new URL(ipfsGateway).origin]
  const policy: Record<string, string> = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': ["'self'", 'data:', ...pictures].join(' '),
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    ...more
  }
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'Cache-Control': 'no-cache',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin'
  }
}
