import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { contractQuery } from '../cli/serve/banner.ts'
import { baseline, type Contender, contenders, type Place, type Target } from './contenders/index.ts'
import { startOwn } from './contenders/product-templates.ts'
import { numberPlace } from './load.ts'
import type { Group } from './results.ts'
import { measureInRounds } from './rounds.ts'
import { type BenchRequest, sendRequest } from './send-request.ts'
import type { Settings } from './settings.ts'
import { cores, measureServer, type Started, type Subject } from './subject.ts'

type Fields = Group['fields']

/** The operation name contains a number: the same in all requests, or another in each. */
const queries: Record<Fields, string> = {
  nine: contractQuery.replace('query', `query Q${numberPlace}`),
  two: `query Q${numberPlace} { allProducts { id name } }`
}

/**
 * From this number of templates, one eighth of the connections is used, so that few requests are unfinished at the end.
 */
const manyTemplates = 10_000

/** Compares the contenders on a database with `templates` templates. */
export async function compareContenders(
  store: { file: string; postgres?: string | undefined },
  { templates, fields }: { templates: number; fields: Fields },
  settings: Settings
): Promise<Group> {
  const connections = Math.ceil(settings.connections / (templates >= manyTemplates ? 8 : 1))
  const body = JSON.stringify({ query: queries[fields], variables: {} })
  const place = await preparePlace(store, fields, body)
  const subjects = Object.entries(contenders)
    .filter(([name]) => isMeasured(name, settings, place))
    .map(
      ([name, contender]): Subject => ({
        name,
        title: contender.title,
        baseline,
        start: () => startContender(contender, { place, body, connections, program: settings.load })
      })
    )
  const rows = await measureInRounds(subjects, settings, `${templates} templates, ${fields} fields`)
  return { templates, fields, bytes: (await readFile(place.answerFile)).length, connections, rows }
}

/** Always measures the baseline; measures PostgreSQL only if there is a server. */
const isMeasured = (name: string, { only }: Settings, { postgres }: Place): boolean =>
  name === baseline ||
  (name === 'postgres' ? postgres !== undefined : only.length === 0 || only.includes(name))

/** Writes the response of product-templates to a file, and copies the database. */
async function preparePlace(
  { file, postgres }: { file: string; postgres?: string | undefined },
  fields: Fields,
  body: string
): Promise<Place> {
  const place = {
    file,
    postgres,
    changedFile: `${file}-${fields}-changed`,
    answerFile: `${file}-${fields}.json`
  }
  await copyFile(file, place.changedFile)
  const target = await startOwn(`sqlite:${file}`, undefined)
  await writeFile(place.answerFile, (await sendRequest(requestFor(target, body))).text)
  await target.server.stop()
  return place
}

const requestFor = (
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

/** Starts a contender. Throws if its response differs from that of product-templates. */
async function startContender(
  { start, headers, varied = false, meanwhile }: Contender,
  options: { place: Place; body: string; connections: number; program: Settings['load'] }
): Promise<Started> {
  const { place, body, connections, program } = options
  const target = await start(place, cores?.server)
  const request = requestFor(target, body, headers)
  const normalise = (text: string) => JSON.stringify(JSON.parse(text))
  if (normalise((await sendRequest(request)).text) !== normalise(await readFile(place.answerFile, 'utf8')))
    throw new Error(`${target.url} answers something else`)
  return {
    async measure(seconds) {
      const end = meanwhile?.(target)
      const sample = await measureServer(target.server, { ...request, connections, seconds, varied }, program)
      await end?.()
      return sample
    },
    countBytes: async () => (await sendRequest(request)).bytes,
    stop: () => target.server.stop()
  }
}
