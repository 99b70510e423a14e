import { describeFailure, isUnsure } from '../../../../explorer/api.ts'
import { type Problem, upperFirst } from '../../../../explorer/edit/problem.ts'
import { isOfWeb } from '../../../../explorer/picture/use-picture.ts'
import { makeKey, write } from '../../../../explorer/requests.ts'
import { parseObject } from '../../../../runtime/json-values.ts'
import type { Mapping } from '../../tables/mapping.ts'
import type { Contents } from '../file/open-file.ts'
import type { Pictures } from '../pictures/chosen-pictures.ts'
import { uploadPictures } from '../pictures/upload.ts'
import { isSkipped, isWritten, type Verdict } from '../rows/judge.ts'
import { judgeRecords } from '../rows/preview.ts'
import { Parts, toSent } from './parts.ts'

/** The result of an import. */
export interface ImportResult {
  /** The id of the bulk change that wrote the templates. */
  bulkChange: string
  created: number
  replaced: number
  /** Whether the last request failed without an answer, so that its rows may be written. */
  isUnsure?: boolean
  /** The place of the last row that is known to be written. */
  last?: number | undefined
  /** The number of written templates that are not public. */
  hidden: number
  /** The number of written templates whose pictures are links, which the service may fetch. */
  linked: number
  /** The records that are wrong, or that the user may not write. */
  skipped: Verdict[]
  problem?: string
}

interface Result {
  created: number
  replaced: number
  userErrors: Problem[]
}

const mutation = `mutation Import(
  $input: [ImportProductInput!]!, $mode: ImportMode!, $message: String, $bulkChange: ID
) {
  importProducts(input: $input, mode: $mode, message: $message, bulkChange: $bulkChange) { created replaced userErrors { code message path pointer } } }`

interface Options {
  pictures: Pictures | undefined
  replaces: boolean
  message: string
  /** A UUID, which tells this import apart from another one of the same file. All parts are one bulk change. */
  key: string
  /** The places of imported records. */
  imported: Set<number>
  onProgress: (done: number) => void
  onUploadProgress: (progress: string) => void
}

/**
 * Uploads the pictures, then imports the new records and, with `replaces`, the changed ones. The service writes each
 * part completely or not at all.
 */
export async function sendImport(
  contents: Contents,
  mapping: Mapping | undefined,
  { pictures, replaces, message, key, imported, onProgress, onUploadProgress }: Options
): Promise<ImportResult> {
  const outcome: ImportResult = { ...nothing, bulkChange: key, skipped: [] }
  const refusal =
    pictures &&
    (await uploadPictures(contents, mapping, { pictures, replaces, imported, onProgress: onUploadProgress }))
  if (refusal !== undefined) return { ...outcome, problem: refusal }
  const parts = new Parts()
  let part: Part = { input: [], places: [] }
  const sendPart = async (): Promise<boolean> => {
    const { input, places } = part
    part = { input: [], places: [] }
    if (input.length === 0) return true
    const variables = { input, mode: replaces ? 'REPLACE' : 'KEEP', message, bulkChange: key }
    let found: Result
    try {
      found = await writePart(key, variables)
    } catch (error) {
      outcome.isUnsure = isUnsure(error)
      outcome.problem = describeFailure(error, describeUnsure(places))
      return false
    }
    outcome.created += found.created
    outcome.replaced += found.replaced
    onProgress(outcome.created + outcome.replaced)
    if (found.userErrors.length === 0) {
      outcome.last = places.at(-1)
      for (const place of places) imported.add(place)
      outcome.hidden += input.filter(({ publicProduct }) => !publicProduct).length
      outcome.linked += input.filter(hasLink).length
      return true
    }
    outcome.problem = found.userErrors.map(problem => describeRefusal(problem, places)).join(' ')
    return false
  }
  for await (const verdict of judgeRecords(contents, mapping, pictures, imported)) {
    if (isSkipped(verdict)) outcome.skipped.push(verdict)
    if (!isWritten(verdict, replaces)) continue
    const input = toSent(verdict)
    if (parts.add(input) && !(await sendPart())) return outcome
    part.input.push(input)
    part.places.push(verdict.place)
  }
  await sendPart()
  return outcome
}

const nothing = { created: 0, replaced: 0, hidden: 0, linked: 0 }

const hasLink = ({ data = '' }: { data?: string | undefined }): boolean =>
  isOfWeb(String(parseObject(data)?.image))

/** Writes a part. If it is sent again, it is not written again. */
const writePart = async (key: string, variables: object): Promise<Result> =>
  (await write<{ importProducts: Result }>(mutation, variables, await makeKey(key, variables))).importProducts

const describeUnsure = (places: number[]): string =>
  `The service did not answer: whether it has imported rows ${places[0]} to ${places.at(-1)} is not known.`

interface Part {
  input: ReturnType<typeof toSent>[]
  places: number[]
}

/** Describes why the service refused a row. Its message names the field. */
function describeRefusal({ path: [_input, index], message }: Problem, places: number[]): string {
  const place = places[Number(index)]
  return `${place === undefined ? '' : `Row ${place}: `}${upperFirst(message)}.`
}
