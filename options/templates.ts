import { defaultMaxDataSize } from '../domain/columns.ts'
import { toNames } from '../runtime/lists.ts'
import { choice, integer, networks, text } from './setting.ts'

/** Settings of templates: what may be written, how they are shown, and where their links may lead. */
export const templateSettings = {
  validation: choice(['enforce', 'warn', 'off'], 'enforce').describe(
    'how to treat a written document that does not match the JSON Schema'
  ),
  maxDataSize: integer([1024, 4_194_304], defaultMaxDataSize).describe(
    'maximum size in bytes of the document of a template that is written'
  ),
  ipfsGateway: text(
    url => /^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(url) && URL.canParse(url),
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
  privateNetworks: networks.describe(
    'networks that the service may call although they are not public: hosts of pictures, receivers of messages, and metadata documents of clients'
  )
}
