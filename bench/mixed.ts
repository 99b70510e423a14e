/** Measures how long small requests take while another token sends large operations. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { type Contender, contenders, type Meanwhile, type Place } from './contenders/index.ts'
import { accessToken } from './credentials.ts'
import { bodyOf, kinds } from './kinds.ts'
import type { Row } from './results.ts'
import { measureInRounds } from './rounds.ts'
import type { Settings } from './settings.ts'
import { startContender } from './start-contender.ts'
import type { Subject } from './subject.ts'

const { product, 'list-10': list } = kinds

/** The small requests by their titles. */
const probes = {
  'cached response': { body: bodyOf({ ...list, variables: { ...list.variables, offset: 0 }, numbers: {} }) },
  [product.title]: { body: bodyOf(product), numbers: product.numbers }
}

/**
 * Measures each small request alone and during large operations. No core is assigned to the service, because it has
 * threads for large operations.
 */
export async function measureMixed(place: Place, settings: Settings): Promise<Row[]> {
  const subjects = ['hot', 'postgres']
    .map(name => contenders[name] as Contender)
    .filter(({ needsPostgres }) => !needsPostgres || place.postgres !== undefined)
    .flatMap(contender => subjectsOf(contender, place))
  return measureInRounds([...subjects, await bareServerBeside(place)], settings, 'mixed')
}

const subjectsOf = (contender: Contender, place: Place): Subject[] =>
  Object.entries(probes).flatMap(([probe, request]) =>
    [undefined, sendLargeOperations].map(meanwhile => {
      const title = `${contender.title}, ${probe}${meanwhile ? ', during large operations' : ''}`
      const load = { ...request, connections: 1, program: 'paced', core: undefined, samples: [] } as const
      return { name: title, title, start: () => startContender({ ...contender, meanwhile }, place, load) }
    })
  )

/** A server without any work, in a process of its own. Its answers wait only for the processors of the machine. */
async function bareServerBeside(place: Place): Promise<Subject> {
  const [service, bare] = [contenders.hot, contenders['node-http']] as [Contender, Contender]
  const answerFile = `${place.file}-answer`
  await writeFile(answerFile, '{}')
  const title = `${bare.title}, beside product-templates during large operations`
  const load = { body: '{}', connections: 1, program: 'paced', core: undefined, samples: [] } as const
  return {
    name: title,
    title,
    async start() {
      const target = await service.start(place, undefined)
      const meanwhile = () => sendLargeOperations(target)
      const started = await startContender({ ...bare, meanwhile }, { ...place, answerFile }, load)
      return {
        ...started,
        stop: async () => void (await Promise.all([started.stop(), target.server.stop()]))
      }
    }
  }
}

const sendLargeOperations: Meanwhile = async ({ url }) => {
  const program = new URL('large-operations.ts', import.meta.url).pathname
  const token = await accessToken(new URL(url).origin)
  const child = spawn(process.execPath, [program, url, token], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  return async () => {
    const ended = once(lines, 'line')
    child.kill('SIGTERM')
    const { perSecond, refused } = JSON.parse((await ended)[0])
    if (refused > 0) console.error(`${refused} large operations were refused`)
    return perSecond
  }
}
