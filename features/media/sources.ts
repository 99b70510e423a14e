import type { BlockList } from 'node:net'
import { findContentPath } from '../../domain/ipfs.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { toEntries } from '../../runtime/lists.ts'
import { readAll, sendRequest, toBlockList } from '../../runtime/outgoing.ts'
import type { MediaSettings } from './index.ts'

/** Maximum bytes of a picture; maximum milliseconds to fetch it with all redirects, and until a response begins. */
export const maxPictureBytes = 10 * 2 ** 20
const fetchTimeoutMs = 10_000
const firstByteTimeoutMs = 5000
const maxRedirects = 3

/** Why there is no picture if its server has none. */
export const gone = 'the shop’s server says that there is no such picture'

const describeRefusal = (status: number): string =>
  status === 404 || status === 410 ? gone : `the shop’s server does not hand it out (${status})`

/** The hosts and gateways that pictures are fetched from. */
export class PictureSources {
  /** The IPFS gateway, without a slash at the end. */
  readonly gateway: string | undefined
  /** The allowed origins, such as `https://images.example.com`. */
  readonly #origins: Set<string>
  readonly #allowed: BlockList

  constructor({
    imageSources = '',
    privateNetworks = '',
    ipfsGateway
  }: ServiceSettings & Pick<MediaSettings, 'imageSources'>) {
    const entries = toEntries(imageSources)
    const [gateway = ipfsGateway] = entries.filter(entry => entry.includes('://'))
    this.gateway = gateway?.replace(/\/+$/, '')
    const hosts = entries.map(entry => (entry.includes('://') ? new URL(entry).host : entry))
    this.#origins = new Set(
      hosts.flatMap(host => [new URL(`http://${host}`).origin, new URL(`https://${host}`).origin])
    )
    this.#allowed = toBlockList(privateNetworks)
  }

  /** Returns the address of the picture that a link leads to; undefined if its host is not listed. */
  locate(link: string): URL | undefined {
    const content = findContentPath(link)
    const url = URL.parse(content !== undefined && this.gateway ? `${this.gateway}/${content}` : link)
    return url && this.#isListed(url) ? url : undefined
  }

  /** Returns the address of a link to any host; undefined if it is not one of the web, or has a password. */
  locateAnywhere(link: string): URL | undefined {
    const url = this.locate(link) ?? URL.parse(link)
    const isOfWeb =
      url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    return isOfWeb ? url : undefined
  }

  #isListed = ({ protocol, origin }: URL): boolean =>
    // `blob:https://…` also has an origin of HTTP.
    protocol.startsWith('http') && this.#origins.has(origin)

  /**
   * Fetches a picture. Rejects if the source does not answer in time, sends too many bytes, or redirects to a host
   * that is not listed, unless any host may be asked. Never asks an address that is not public, unless it is allowed.
   */
  async fetch(url: URL, closing: AbortSignal, { fromAnyHost = false } = {}): Promise<Buffer> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(fetchTimeoutMs)])
    let at = url
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const response = await sendRequest(at, {
        headers: requested,
        allowed: this.#allowed,
        signal,
        firstByteTimeoutMs
      })
      const { statusCode = 0, headers } = response
      if (statusCode === 200) return readAll(response, maxPictureBytes, tooLarge)
      response.destroy()
      const next = headers.location && URL.parse(headers.location, at)
      if (statusCode < 300 || statusCode > 399 || !next) throw new Error(describeRefusal(statusCode))
      if (!(fromAnyHost ? this.locateAnywhere(next.href) : this.#isListed(next)))
        throw new Error('the source redirects to a host that is not listed')
      at = next
    }
    throw new Error('the source has too many redirects')
  }
}

const tooLarge = () => new Error('it is larger than 10 MiB')

const requested = {
  Accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif',
  'Accept-Encoding': 'identity'
}
