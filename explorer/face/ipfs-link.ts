import { metaContent } from '../meta.ts'

const gateway = metaContent('ipfs-gateway').replace(/\/+$/, '')

/** What stands behind the scheme or the gateway of an IPFS link; undefined if it is none, or has no content id. */
export function contentOf(link: string | null | undefined): string | undefined {
  const [, content] =
    link?.match(/^(?:ipfs:\/\/(?:ipfs\/)?|\{ipfs_url\}\/|https?:\/\/[^/?#\s]+\/ipfs\/)([A-Za-z0-9].*)$/) ?? []
  return content
}

/** Where a picture can be had; the page may load nothing from anywhere else. */
export function pictureAddress(link: string | null | undefined): string | undefined {
  const content = contentOf(link)
  return content !== undefined && gateway !== '' ? `${gateway}/${content}` : undefined
}
