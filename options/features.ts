import { defaultMaxDataSize } from '../domain/columns.ts'
import { toEntries, toNames } from '../runtime/lists.ts'
import { choice, integer, networks, text } from './setting.ts'

const isSource = (entry: string): boolean =>
  (/^https?:\/\/[^/?#\\@]+\/[^?#]+$/.test(entry) && URL.canParse(entry)) ||
  (/^[^/?#\\@]+$/.test(entry) && URL.canParse(`https://${entry}`))

/** Settings of templates, the explorer, pictures and webhooks. */
export const featureSettings = {
  validation: choice(['enforce', 'warn', 'off'], 'enforce').describe(
    'how to treat a written document that does not match the JSON Schema'
  ),
  maxDataSize: integer([1024, 4_194_304], defaultMaxDataSize).describe(
    'maximum size in bytes of the document of a template that is written'
  ),
  ipfsGateway: text(
    url => /^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(url),
    'an http(s) URL without query or fragment'
  ).describe(
    'gateway for the IPFS links in `/metadata`, which become `<gateway>/<content id>`; links are unchanged if absent'
  ),
  explorerFilters: text(
    list => toNames(list).length > 0,
    'names of traits, such as MadeIn, Price EUR'
  ).describe(
    'names of the traits whose filters come first in the explorer, in this order, separated by commas'
  ),
  imageSources: text(
    list => toEntries(list).every(isSource),
    'hosts such as images.example.com and gateways such as https://ipfs.example.com/ipfs'
  ).describe(
    'hosts and IPFS gateways whose pictures the service fetches and shows; needs the package `sharp`'
  ),
  privateNetworks: networks.describe(
    'networks that the service may call although they are not public: for hosts of `IMAGE_SOURCES`, receivers of webhooks, and metadata documents of clients'
  )
}
