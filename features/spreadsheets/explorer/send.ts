import { describeFailure, isUnsure } from '../../../explorer/api.ts'
import { type Problem, toSentence } from '../../../explorer/edit/problem.ts'
import { makeKey, write } from '../../../explorer/requests.ts'
import type { Mapping } from '../tables/mapping.ts'
import type { Pictures } from './chosen-pictures.ts'
import { isWritten, type Verdict } from './judge.ts'
import type { Contents } from './open-file.ts'
import { Parts, toSent } from './parts.ts'
import { judgeRecords } from './preview.ts'
import { uploadPictures } from './upload.ts'

/** The result of an import. */
export interface Outcome {
  /** The id of the operation that wrote the templates. */
  operation: string
  created: number
  replaced: number
  /** Whether the last request failed without an answer, so that its rows may be written. */
  isUnsure?: boolean
  /** The place of the last row that is known to be written. */
  last?: number | undefined
  /** The number of written templates that are not public. */
  hidden: number
  /** The wrong records, which are not written. */
  skipped: Verdict[]
  problem?: string
}

interface Result {
  created: number
  replaced: number
  userErrors: Problem[]
}

const mutation = `mutation Import(
  $input: [ImportProductInput!]!, $mode: ImportMode!, $message: String, $operation: ID
) {
  importProducts(input: $input, mode: $mode, message: $message, operation: $operation) { created replaced userErrors { code message path pointer } } }`

interface Options {
  pictures: Pictures | undefined
  replaces: boolean
  message: string
  /** A UUID, which tells this import apart from another one of the same file. All parts are one operation. */
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
): Promise<Outcome> {
  const outcome: Outcome = { operation: key, created: 0, replaced: 0, hidden: 0, skipped: [] }
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
    const variables = { input, mode: replaces ? 'REPLACE' : 'KEEP', message, operation: key }
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
      return true
    }
    outcome.problem = found.userErrors.map(error => describeError(error, places)).join(' ')
    return false
  }
  for await (const verdict of judgeRecords(contents, mapping, pictures, imported)) {
    if (verdict.state === 'wrong') outcome.skipped.push(verdict)
    if (!isWritten(verdict, replaces)) continue
    const input = toSent(verdict)
    if (parts.add(input) && !(await sendPart())) return outcome
    part.input.push(input)
    part.places.push(verdict.place)
  }
  await sendPart()
  return outcome
}

/** Writes a part. If it is sent again, it is not written again. */
const writePart = async (key: string, variables: object): Promise<Result> =>
  (await write<{ importProducts: Result }>(mutation, variables, await makeKey(key, variables))).importProducts

const describeUnsure = (places: number[]): string =>
  `The service did not answer: whether it has imported rows ${places[0]} to ${places.at(-1)} is not known.`

interface Part {
  input: ReturnType<typeof toSent>[]
  places: number[]
}

function describeError(problem: Problem, places: number[]): string {
  const place = places[Number(problem.path[1])]
  return `${place === undefined ? '' : `Row ${place}: `}${toSentence(problem)}.`
}
