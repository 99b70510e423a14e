import { defaultMaxDataSize } from '../db/templates/table/columns.ts'
import { choice, integer, text } from './setting.ts'

/** Settings of templates: the rules for writing them, and their metadata. */
export const templateSettings = {
  validation: choice(['enforce', 'warn', 'off'], {
    default: 'enforce',
    description: 'what to do about a written document that does not match the JSON Schema'
  }),
  maxDataSize: integer([1024, 4_194_304], {
    default: defaultMaxDataSize,
    description: 'maximum size in bytes of the document of a template that is written'
  }),
  importMaxTemplates: integer([1, 100_000], {
    default: 1000,
    description: 'maximum number of templates in one `importProducts`'
  }),
  ipfsGateway: text(url => /^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/.test(url), {
    expected: 'an http(s) URL without query or fragment',
    description: 'gateway for the IPFS links in `/metadata`: `<gateway>/<content id>`; unchanged if absent'
  })
}
