import { readTemplates } from '../all-templates.ts'
import { runParallel } from '../parallel.ts'
import { requestMedia } from './request-media.ts'
import { isOfWeb, mayHavePicture } from './use-picture.ts'

/** A picture that the service does not have, and the first template with its link. */
export interface Missing {
  link: string
  id: number
  name: string
}

/** Requests at the same time. The service gives a token at most four places. */
export const parallel = 4

/** Finds the links of the web among the images of the matching templates for which the service has no picture. */
export async function findMissing(
  where: object,
  report: (done: number, total: number | undefined) => void,
  stop: AbortSignal
): Promise<Missing[]> {
  const links = new Map<string, Missing>()
  let read = 0
  for await (const page of readTemplates<{
    id: number
    name: string
    document: { image: string | null } | null
  }>(['id', 'name', 'document { image }'], where, stop)) {
    for (const { id, name, document } of page) {
      const link = document?.image ?? ''
      if (isOfWeb(link) && mayHavePicture(link) && !links.has(link)) links.set(link, { link, id, name })
    }
    read += page.length
    report(read, undefined)
  }
  const missing: Missing[] = []
  let done = 0
  await runParallel(links.values(), parallel, async one => {
    if (await lacksPicture(one.link, stop)) missing.push(one)
    report(++done, links.size)
  })
  return missing
}

/** Whether the service has no picture. The picture itself is not downloaded. Throws if the service does not tell. */
async function lacksPicture(link: string, stop: AbortSignal): Promise<boolean> {
  const path = `media?link=${encodeURIComponent(link)}`
  const response = await requestMedia(path, { redirect: 'manual', signal: stop })
  if (response?.type === 'opaqueredirect') return false
  if (response?.status === 204) return true
  throw new Error(`no picture: ${response?.status}`)
}
