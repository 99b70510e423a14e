/** The forms of an IPFS link before the content id: its own scheme, the placeholder of the contract, a gateway. */
const ipfsLink = /^(?:ipfs:\/\/(?:ipfs\/)?|\{ipfs_url\}\/|https?:\/\/[^/?#\s]+\/ipfs\/)/
/** Rules out most texts at little cost. */
const mayBeLink = /^[ih{]/
/** A content id, perhaps with a path. */
const content = /^[A-Za-z0-9]+(?:[/?#]|$)/

/** Changes links of a text; undefined if it links to nothing: it is empty, or its content id is. */
export type RewriteLink = (text: string) => string | undefined

/** Makes a function that rewrites IPFS links to a gateway. Without a gateway it leaves them as they are. */
export function rewriteLinks(gateway: string | undefined): RewriteLink {
  const base = gateway?.replace(/\/+$/, '')
  return text => {
    if (text === '') return undefined
    const [prefix] = mayBeLink.test(text) ? (text.match(ipfsLink) ?? []) : []
    if (prefix === undefined) return text
    const rest = text.slice(prefix.length)
    if (rest === '') return undefined
    return base !== undefined && content.test(rest) ? `${base}/${rest}` : text
  }
}
