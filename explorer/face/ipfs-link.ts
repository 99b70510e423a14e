import { findContent } from '../../db/templates/metadata/ipfs.ts'

/** What stands behind the scheme or the gateway of an IPFS link; undefined if it is none, or has no valid content id. */
export const contentOf = (link: string | null | undefined): string | undefined => findContent(link ?? '')
