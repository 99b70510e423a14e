import { integer, text, type Values } from '../../options/setting.ts'
import { toEntries } from '../../runtime/lists.ts'
import type { Feature } from '../feature.ts'

const isSource = (entry: string): boolean =>
  (/^https?:\/\/[^/?#\\@]+\/[^?#]+$/.test(entry) && URL.canParse(entry)) ||
  (/^[^/?#\\@]+$/.test(entry) && URL.canParse(`https://${entry}`))

const settings = {
  imageSources: text(
    list => toEntries(list).every(isSource),
    'hosts such as images.example.com and gateways such as https://ipfs.example.com/ipfs'
  ).describe(
    'hosts and IPFS gateways whose pictures the service fetches and shows; needs the package `sharp`'
  ),
  mediaMaxSize: integer([0, 2 ** 43], 2 ** 32).describe(
    'maximum total size in bytes of uploaded pictures and of copies that publishers let the service fetch; more are refused with 507'
  )
}

const auditActions = {
  'media.add': { label: 'stored a picture', verb: 'stored the picture' },
  'media.delete': { label: 'deleted a picture', verb: 'deleted the picture' }
}

export type MediaAction = keyof typeof auditActions

export type MediaSettings = Values<typeof settings>

/** Pictures of templates: originals that users store here, and thumbnails of these and of pictures elsewhere. */
export const media: Feature<typeof settings> = {
  settings,
  tables: { product_media: { key: ['key', 'kind'], longColumn: 'bytes' } },
  migrations: { 'media/0001-initial': () => import('./migration.ts') },
  auditActions,
  commands: { media: () => import('./command.ts') },
  server: () => import('./server.ts')
}
