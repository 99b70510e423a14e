/** The part of an IPFS link before the content id: the scheme, the placeholder of the contract, or a gateway. */
const ipfsLink = /^(?:ipfs:\/\/(?:ipfs\/)?|\{ipfs_url\}\/|https?:\/\/[^/?#\s]+\/ipfs\/)/
/** Rules out most texts at little cost. */
const mayBeLink = /^[ih{]/
/** A content id, optionally with a path, and the text after it. */
const contentAndPath = /^([A-Za-z0-9]+(?:\/[^?#]*)?)(?:[?#]|$)/
/** A step out of a folder. Browsers and servers may skip control characters, and read `\` as `/`. */
const stepOut = /(?:^|[/\\])\.\.?(?:[/\\]|$)|\p{Cc}/u

/** Returns the text after the prefix of an IPFS link; undefined if the text is not an IPFS link. */
export const removePrefix = (text: string): string | undefined => {
  const [prefix] = mayBeLink.test(text) ? (text.match(ipfsLink) ?? []) : []
  return prefix === undefined ? undefined : text.slice(prefix.length)
}

/** Whether a text is a content id, optionally with a path that stays below it. */
export function isContent(text: string): boolean {
  const [, path] = text.match(contentAndPath) ?? []
  try {
    return path !== undefined && !stepOut.test(decodeURIComponent(path))
  } catch {
    return false
  }
}

/** Returns the content id of an IPFS link and the path; undefined for any other text, and for an unsafe path. */
export function findContentPath(link: string): string | undefined {
  const rest = removePrefix(link)
  return rest !== undefined && isContent(rest) ? rest : undefined
}
