import { defaultMaxDataSize } from '../db/templates/table/columns.ts'
import { Type } from './types.ts'

/** Settings of templates: what may be written, and how their metadata is shown. */
export const templateSettings = {
  validation: Type.Enum(['enforce', 'warn', 'off'], {
    env: 'VALIDATION',
    default: 'enforce',
    description: 'what to do about a written document that does not match the JSON Schema'
  }),
  maxDataSize: Type.Integer({
    env: 'MAX_DATA_SIZE',
    default: defaultMaxDataSize,
    minimum: 1024,
    maximum: 4_194_304,
    description: 'maximum size in bytes of the document of a template that is written'
  }),
  importMaxTemplates: Type.Integer({
    env: 'IMPORT_MAX_TEMPLATES',
    default: 1000,
    minimum: 1,
    maximum: 100_000,
    description: 'maximum number of templates in one `importProducts`'
  }),
  ipfsGateway: Type.Optional(
    Type.String({
      env: 'IPFS_GATEWAY',
      pattern: '^https?://[^/?#\\s]+(/[^?#\\s]*)?$',
      expected: 'an http(s) URL without query or fragment',
      description: 'gateway for the IPFS links in `/metadata`: `<gateway>/<content id>`; unchanged if absent'
    })
  )
}
