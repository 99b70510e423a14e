import { useEffect, useState } from 'preact/hooks'
import { Semaphore } from '../../semaphore.ts'
import { client } from '../api.ts'
import { metaContent } from '../meta.ts'
import { contentOf } from './ipfs-link.ts'

/** The gateway that the page asks itself; empty if the service fetches the pictures. */
const gateway = metaContent('ipfs-gateway').replace(/\/+$/, '')

/** Pictures that are asked for at the same time. A browser has six connections, and a slow source holds one for 10 s. */
const places = new Semaphore(3)

/** Milliseconds that a picture is on the page before it is asked for: most of those that are scrolled past never are. */
const patience = 250

/** Pictures that the page keeps in memory. */
const mostKept = 500

/** The addresses of pictures, by link. A picture that cannot be shown has none. */
const addresses = new Map<string, Promise<string | undefined>>()

/** Returns where the page finds a picture; undefined until it has arrived, or if there is none. */
export function usePicture(link: string | null | undefined): string | undefined {
  const [found, setFound] = useState<{ link: string; address: string | undefined }>()
  useEffect(() => {
    if (!link || !mayHavePicture(link)) return undefined
    let isWanted = true
    const find = () =>
      addressOf(link).then(address => {
        if (isWanted) setFound({ link, address })
      })
    const timer = setTimeout(find, addresses.has(link) ? 0 : patience)
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
  // Last, as it is used last.
  addresses.delete(link)
  addresses.set(link, address)
  const [oldest] = addresses.keys()
  if (addresses.size > mostKept && oldest !== undefined) forget(oldest)
  return address
}

/** From the service or, where that has none, from the gateway. */
async function readPicture(link: string): Promise<string | undefined> {
  const content = contentOf(link)
  const leave = await places.take()
  try {
    const picture = await client.picture(link)
    if (picture) return URL.createObjectURL(picture)
    return content !== undefined && gateway !== '' ? `${gateway}/${content}` : undefined
  } catch {
    // It is asked for again when it is shown again.
    addresses.delete(link)
    return undefined
  } finally {
    leave()
  }
}

/** Forgets what the service has said about a link: a picture has been uploaded. */
export function forget(link: string): void {
  addresses.get(link)?.then(address => {
    if (address?.startsWith('blob:')) URL.revokeObjectURL(address)
  })
  addresses.delete(link)
}
