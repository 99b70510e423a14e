import { networks, toEntries } from './networks.ts'
import { integer, text } from './setting.ts'

const isSource = (entry: string): boolean =>
  (/^https?:\/\/[^/?#\\@]+\/[^?#]+$/.test(entry) && URL.canParse(entry)) ||
  (/^[^/?#\\@]+$/.test(entry) && URL.canParse(`https://${entry}`))

/** Settings of pictures. */
export const mediaSettings = {
  imageSources: text(list => toEntries(list).every(isSource), {
    expected: 'hosts such as images.example.com and gateways such as https://ipfs.example.com/ipfs',
    description:
      'hosts and IPFS gateways whose pictures the service fetches and shows; needs the package `sharp`'
  }),
  imagePrivateNetworks: networks(
    'networks in which the hosts of `IMAGE_SOURCES` may be although they are not public'
  ),
  imageCacheSize: integer([1_048_576, 1_073_741_824], {
    default: 67_108_864,
    description: 'maximum size in bytes of all small pictures that the database keeps'
  })
}
