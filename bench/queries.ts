import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { contractQuery } from '../cli/serve/banner.ts'
import { type Contender, contenders } from './contenders/index.ts'
import { startOwn } from './contenders/product-templates.ts'
import { numberPlace } from './load.ts'
import type { Group } from './results.ts'
import { measureInRounds } from './rounds.ts'
import { sendRequest } from './send-request.ts'
import type { Settings } from './settings.ts'
import { requestFor, startContender } from './start-contender.ts'
import { cores, type Subject } from './subject.ts'

type Fields = Group['fields']

/** The contender that all are compared with. */
const baseline = 'fastify'

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
  const answer = await readFile(place.answerFile, 'utf8')
  const samples = [{ body, answer }]
  const load = { body, connections, program: settings.load, core: cores?.server, samples }
  const subjects = Object.entries(contenders)
    .filter(([name, contender]) => isMeasured(name, contender, settings, store.postgres))
    .map(
      ([name, contender]): Subject => ({
        name,
        title: contender.title,
        baseline,
        start: () => startContender(contender, place, load)
      })
    )
  const rows = await measureInRounds(subjects, settings, `${templates} templates, ${fields} fields`)
  return { templates, fields, bytes: Buffer.byteLength(answer), connections, rows }
}

/** Always measures the baseline; measures PostgreSQL only if there is a server. */
const isMeasured = (
  name: string,
  { needsPostgres }: Contender,
  { only }: Settings,
  postgres: string | undefined
): boolean =>
  name === baseline || (needsPostgres ? postgres !== undefined : only.length === 0 || only.includes(name))

/** Writes the response of product-templates to a file, and copies the database. */
async function preparePlace(
  { file, postgres }: { file: string; postgres?: string | undefined },
  fields: Fields,
  body: string
) {
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
