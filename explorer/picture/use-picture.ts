import { useEffect, useState } from 'preact/hooks'
import { Semaphore } from '../../runtime/semaphore.ts'
import { client } from '../api.ts'
import { metaContent } from '../meta.ts'
import { contentOf } from './ipfs-link.ts'

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

/** Picture addresses by link; undefined for a picture that cannot be shown. */
const addresses = new Map<string, Promise<string | undefined>>()

/** Returns the address of a picture; undefined until it is known, or if there is no picture. */
export function usePicture(link: string | null | undefined): string | undefined {
  const [found, setFound] = useState<{ link: string; address: string | undefined }>()
  useEffect(() => {
    if (!link || !mayHavePicture(link)) return undefined
    let isWanted = true
    const find = () =>
      addressOf(link).then(address => {
        if (isWanted) setFound({ link, address })
      })
    const timer = setTimeout(find, addresses.has(link) ? 0 : requestDelay)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [link])
  return found?.link === link ? found?.address : undefined
}

/** Whether a text may be the link of a picture. */
export const mayHavePicture = (link: string): boolean =>
  link.length <= 1000 && (contentOf(link) !== undefined || /^https?:\/\//.test(link))

function addressOf(link: string): Promise<string | undefined> {
  const address = addresses.get(link) ?? readPicture(link)
  // Moves the entry to the end: the first entry is the least recently used.
  addresses.delete(link)
  addresses.set(link, address)
  const [oldest] = addresses.keys()
  if (addresses.size > maxPictures && oldest !== undefined) forgetPicture(oldest)
  return address
}

/** Gets a picture from the service or, if the service has none, from the gateway. */
async function readPicture(link: string): Promise<string | undefined> {
  const content = contentOf(link)
  const release = await requestSlots.take()
  try {
    const picture = await client.picture(link)
    if (picture) return URL.createObjectURL(picture)
    return content !== undefined && gateway !== '' ? `${gateway}/${content}` : undefined
  } catch {
    // The next use requests it again.
    addresses.delete(link)
    return undefined
  } finally {
    release()
  }
}

/** Forgets a picture, because it is unused or has been uploaded again. */
export function forgetPicture(link: string): void {
  addresses.get(link)?.then(address => {
    if (address?.startsWith('blob:')) URL.revokeObjectURL(address)
  })
  addresses.delete(link)
}
