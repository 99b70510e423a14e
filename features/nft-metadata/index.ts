import type { Feature } from '../feature.ts'

/** The metadata of public templates, as wallets and marketplaces read it. */
export const nftMetadata: Feature = {
  server: () => import('./server.ts')
}
