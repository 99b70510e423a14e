import { readTemplates } from '../all-templates.ts'
import { fetchPicture, retryWhileBusy } from './fetch-picture.ts'
import { isOfWeb, mayHavePicture, requestMedia } from './use-picture.ts'

/** A picture that the service does not have, and the first template with its link. */
export interface Missing {
  link: string
  id: number
  name: string
}

/** Requests at the same time. The service gives a token at most four places. */
const parallel = 4

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
  for await (const [one, isMissing] of inParallel([...links.values()], one => lacksPicture(one.link, stop))) {
    if (isMissing) missing.push(one)
    report(++done, links.size)
  }
  return missing
}

/** Whether the service has no picture. The picture itself is not downloaded. Throws if the service does not tell. */
async function lacksPicture(link: string, stop: AbortSignal): Promise<boolean> {
  const path = `media?link=${encodeURIComponent(link)}`
  const ask = () => requestMedia(path, { redirect: 'manual', signal: stop })
  const response = await retryWhileBusy(ask, stop)
  if (response?.type === 'opaqueredirect') return false
  if (response?.status === 204) return true
  throw new Error(`/media responded ${response?.status}`)
}

/** Fetches pictures. Yields each with the reason why it could not be fetched; undefined if it is stored. */
export const fetchMissing = (missing: Missing[], stop: AbortSignal) =>
  inParallel(missing, ({ link }) => fetchPicture(link, stop))

/** Runs a task for each item, a few at a time, and yields the results as they come. */
async function* inParallel<Item, Result>(
  items: Item[],
  run: (item: Item) => Promise<Result>
): AsyncGenerator<[Item, Result]> {
  const rest = items.values()
  const running = new Set<Promise<[Item, Result, Promise<unknown>]>>()
  const begin = () => {
    const { value, done } = rest.next()
    if (done) return
    const task: Promise<[Item, Result, Promise<unknown>]> = run(value).then(result => [value, result, task])
    // The loop below reports the first failure; others that follow are of the same cause.
    task.catch(() => {})
    running.add(task)
  }
  for (let at = 0; at < parallel; at++) begin()
  while (running.size > 0) {
    const [item, result, task] = await Promise.race(running)
    running.delete(task as Promise<[Item, Result, Promise<unknown>]>)
    begin()
    yield [item, result]
  }
}
