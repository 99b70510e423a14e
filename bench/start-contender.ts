import type { Contender, Place, Target } from './contenders/index.ts'
import { fillBody, type LoadProgram, type Numbers } from './load.ts'
import { type BenchRequest, sendRequest } from './send-request.ts'
import { measureServer, type Started } from './subject.ts'

/** The requests of a comparison. */
interface ContenderLoad {
  body: string
  /** The variables of the body that differ between requests; if given, no request repeats another. */
  numbers?: Numbers
  connections: number
  program: LoadProgram
  /** The core of the server; any if it is undefined. */
  core: number | undefined
  /** Requests with the answers of product-templates. */
  samples: readonly { body: string; answer: string }[]
}

/** Starts a contender. Throws if one of its answers differs from that of product-templates. */
export async function startContender(
  { start, headers, varied, meanwhile }: Contender,
  place: Place,
  { samples, program, core, ...load }: ContenderLoad
): Promise<Started> {
  const target = await start(place, core)
  try {
    for (const { body, answer } of samples) {
      const { text } = await sendRequest(requestFor(target, body, headers))
      if (normalise(text) !== normalise(answer)) throw new Error(`${target.url} answers something else`)
    }
  } catch (error) {
    await target.server.stop()
    throw error
  }
  const request = requestFor(target, load.body, headers)
  const options = { ...load, ...request, varied: varied ?? load.numbers !== undefined }
  return {
    async measure(seconds) {
      const end = await meanwhile?.(target)
      const sample = await measureServer(target.server, { ...options, seconds }, program)
      return end ? { ...sample, meanwhile: await end() } : sample
    },
    async countBytes() {
      const body = fillBody(load.body, 0, load.numbers)
      return (await sendRequest(requestFor(target, body, headers))).bytes
    },
    stop: () => target.server.stop()
  }
}

const normalise = (text: string): string => JSON.stringify(JSON.parse(text))

export const requestFor = (
  { url, token }: Target,
  body: string,
  headers: Record<string, string> = {}
): BenchRequest => ({
  url,
  body,
  headers: {
    'content-type': 'application/json',
    ...headers,
    ...(token && { authorization: `Bearer ${token}` })
  }
})
