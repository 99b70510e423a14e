import { findContent } from '../../db/templates/metadata/ipfs.ts'
import { metaContent } from '../meta.ts'

const gateway = metaContent('ipfs-gateway').replace(/\/+$/, '')

/** What stands behind the scheme or the gateway of an IPFS link; undefined if it is none, or has no valid content id. */
export const contentOf = (link: string | null | undefined): string | undefined => findContent(link ?? '')

/** Where a picture can be had; the page may load nothing from anywhere else. */
export function pictureAddress(link: string | null | undefined): string | undefined {
  const content = contentOf(link)
  return content !== undefined && gateway !== '' ? `${gateway}/${content}` : undefined
}
