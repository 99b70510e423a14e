/** The forms of an IPFS link before the content id: its own scheme, the placeholder of the contract, a gateway. */
const ipfsLink = /^(?:ipfs:\/\/(?:ipfs\/)?|\{ipfs_url\}\/|https?:\/\/[^/?#\s]+\/ipfs\/)/
/** Rules out most texts at little cost. */
const mayBeLink = /^[ih{]/
/** A content id, perhaps with a path, and what follows it. */
const contentAndPath = /^([A-Za-z0-9]+(?:\/[^?#]*)?)(?:[?#]|$)/
/** A step out of a folder as browsers and servers may read it: they skip control characters, and `\` is often `/`. */
const stepOut = /(?:^|[/\\])\.\.?(?:[/\\]|$)|\p{Cc}/u

/** Returns the text after the prefix of an IPFS link, possibly empty; undefined if the text is not such a link. */
const withoutPrefix = (text: string): string | undefined => {
  const [prefix] = mayBeLink.test(text) ? (text.match(ipfsLink) ?? []) : []
  return prefix === undefined ? undefined : text.slice(prefix.length)
}

/** Whether a text is a content id, optionally with a path that does not lead out of it on a gateway. */
function isContent(text: string): boolean {
  const [, path] = text.match(contentAndPath) ?? []
  try {
    return path !== undefined && !stepOut.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

/** Returns the content id of an IPFS link and the text after it; undefined if a gateway must not be asked for it. */
export function findContent(link: string): string | undefined {
  const rest = withoutPrefix(link)
  return rest !== undefined && isContent(rest) ? rest : undefined
}

/** Changes links of a text; undefined if it links to nothing: it is empty, or its content id is. */
export type RewriteLink = (text: string) => string | undefined

/** Makes a function that rewrites IPFS links to a gateway. Without a gateway it leaves them as they are. */
export function rewriteLinks(gateway: string | undefined): RewriteLink {
  const base = gateway?.replace(/\/+$/, '')
  return text => {
    const rest = text === '' ? '' : withoutPrefix(text)
    if (rest === '') return undefined
    return base !== undefined && rest !== undefined && isContent(rest) ? `${base}/${rest}` : text
  }
}
