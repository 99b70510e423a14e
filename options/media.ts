import { isIP } from 'node:net'
import { integer, text } from './setting.ts'

/** Splits a list with spaces or commas. */
export const toEntries = (list: string): string[] => list.split(/[\s,]+/).filter(Boolean)

const isSource = (entry: string): boolean =>
  (/^https?:\/\/[^/?#\\@]+\/[^?#]+$/.test(entry) && URL.canParse(entry)) ||
  (/^[^/?#\\@]+$/.test(entry) && URL.canParse(`https://${entry}`))

function isNetwork(entry: string): boolean {
  const [address = '', bits = '', ...more] = entry.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(address)]
  return longest !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= longest && more.length === 0
}

export const isNetworkList = (list: string): boolean => toEntries(list).every(isNetwork)

/** Settings of pictures. */
export const mediaSettings = {
  imageSources: text(list => toEntries(list).every(isSource), {
    expected: 'hosts such as images.example.com and gateways such as https://ipfs.example.com/ipfs',
    description:
      'hosts and IPFS gateways whose pictures the service fetches and shows; needs the package `sharp`'
  }),
  imagePrivateNetworks: text(isNetworkList, {
    expected: 'networks such as 10.1.0.0/16',
    description: 'networks in which the hosts of `IMAGE_SOURCES` may be although they are not public'
  }),
  imageCacheSize: integer([1_048_576, 1_073_741_824], {
    default: 67_108_864,
    description: 'maximum size in bytes of all small pictures that the database keeps'
  })
}
