import type { Feature } from '../feature.ts'

/** The metadata of public templates, as wallets and marketplaces read it: by its endpoint, and in folders of files. */
export const nftMetadata: Feature = {
  fileFormats: {
    extensions: {},
    folders: 'opensea',
    importOptions: {
      '--blockchain-id <number>': 'opensea: blockchainId, which metadata does not have; default: 1',
      '--max-items <number>': 'opensea: maxItems; default: 1',
      '--private': 'opensea: the templates are not public; by default they are',
      '--component <name>': 'opensea: componentName; default: DefaultProduct'
    },
    load: () => import('./folders.ts')
  },
  server: () => import('./server.ts')
}
