/** Every feature. To delete one, delete its folder and its line. */
export { backups } from './backups/index.ts'
export { mcp } from './mcp/index.ts'
export { media } from './media/index.ts'
export { nftMetadata } from './nft-metadata/index.ts'
export { passkeys } from './passkeys/index.ts'
export { subgraph } from './subgraph/index.ts'
export { trustedDocuments } from './trusted-documents/index.ts'
export { trustedIssuers } from './trusted-issuers/index.ts'
