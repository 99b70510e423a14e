import { findContentPath } from '../../domain/metadata/ipfs.ts'

/** Returns the content id and path of an IPFS link or gateway address; undefined if there is no valid content id. */
export const contentOf = (link: string | null | undefined): string | undefined => findContentPath(link ?? '')
