import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { findContentPath } from '../../domain/ipfs.ts'
import { Semaphore } from '../../runtime/semaphore.ts'
import { storesPictures } from '../additions.ts'
import { metaContent } from '../meta.ts'
import { requestMedia } from './request-media.ts'

/** The IPFS gateway that the browser uses; empty if the service fetches the pictures. */
const gateway = metaContent('ipfs-gateway').replace(/\/+$/, '')

/**
 * Limits parallel picture requests. A browser opens six connections per host, and a slow source blocks one for 10 s.
 */
const requestSlots = new Semaphore(3)

/** Milliseconds before a visible picture is requested, so that pictures that are only scrolled past are not. */
const requestDelay = 250

/** The maximum number of pictures in memory. */
const maxPictures = 500

/** A picture, or why there is none. */
interface FoundPicture {
  address?: string | undefined
  problem?: string | undefined
}

/** Pictures by link. */
const pictures = new Map<string, Promise<FoundPicture>>()

/** The last links of the web for which the service has no picture, but may get it. */
export const missingLinks = signal<ReadonlySet<string>>(new Set())

/** Counts the changes of what the service has, after which pictures are requested again. */
const stored = signal(0)

/** Returns a picture; undefined until it is known. */
export function usePicture(link: string | null | undefined): FoundPicture | undefined {
  const [found, setFound] = useState<{ link: string; picture: FoundPicture }>()
  const version = stored.value
  useEffect(() => {
    if (!link || !mayHavePicture(link)) return undefined
    let isWanted = true
    const find = () =>
      pictureOf(link).then(picture => {
        if (isWanted) setFound({ link, picture })
      })
    const timer = setTimeout(find, pictures.has(link) ? 0 : requestDelay)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [link, version])
  return found?.link === link ? found?.picture : undefined
}

/** Whether a link leads to a web page, from which the service may fetch the picture. */
export const isOfWeb = (link: string): boolean =>
  storesPictures && /^https?:\/\//.test(link) && contentOf(link) === undefined

/** Whether a text may be the link of a picture. */
export const mayHavePicture = (link: string): boolean =>
  link.length <= 1000 && (contentOf(link) !== undefined || /^https?:\/\//.test(link))

function pictureOf(link: string): Promise<FoundPicture> {
  const picture = pictures.get(link) ?? readPicture(link)
  // Moves the entry to the end: the first entry is the least recently used.
  pictures.delete(link)
  pictures.set(link, picture)
  const [oldest] = pictures.keys()
  if (pictures.size > maxPictures && oldest !== undefined) forgetPicture(oldest)
  return picture
}

/** Gets a picture from the service or, if the service has none, from the gateway. */
async function readPicture(link: string): Promise<FoundPicture> {
  const content = contentOf(link)
  const release = await requestSlots.take()
  try {
    const response = await requestMedia(`media?link=${encodeURIComponent(link)}`)
    if (response?.status === 200) return { address: URL.createObjectURL(await response.blob()) }
    // 404: a service may lack the feature that has pictures.
    if (response?.status !== 204 && response?.status !== 404)
      throw new Error(`no picture: ${response?.status}`)
    if (content !== undefined && gateway !== '') return { address: `${gateway}/${content}` }
    if (isOfWeb(link) && response.headers.get('picture-gone') !== 'true')
      missingLinks.value = new Set([...missingLinks.value, link].slice(-maxPictures))
    return { problem: readProblem(response) }
  } catch {
    // The next use requests it again.
    pictures.delete(link)
    return {}
  } finally {
    release()
  }
}

/** Reads why the service has no picture. */
const readProblem = ({ headers }: Response): string =>
  decodeURIComponent(headers.get('picture-problem') ?? 'there is no such picture')

/** Requests these pictures again, because the service has stored them, or now knows why it cannot. */
export function showStored(links: string[]): void {
  for (const link of links) forgetPicture(link)
  missingLinks.value = missingLinks.value.difference(new Set(links))
  stored.value++
}

/** Forgets a picture, because it is unused or has been uploaded again. */
export function forgetPicture(link: string): void {
  pictures.get(link)?.then(({ address }) => {
    if (address?.startsWith('blob:')) URL.revokeObjectURL(address)
  })
  pictures.delete(link)
}

/** Returns the content id and path of an IPFS link or gateway address; undefined if there is no valid content id. */
export const contentOf = (link: string | null | undefined): string | undefined => findContentPath(link ?? '')
