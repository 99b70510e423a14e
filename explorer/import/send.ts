import type { Mapping } from '../../tables/mapping.ts'
import { refusalOf } from '../api.ts'
import { write } from '../asking.ts'
import type { Input } from './candidate.ts'
import type { Pictures } from './chosen-pictures.ts'
import { isWritten } from './judge.ts'
import { verdicts } from './look.ts'
import type { Contents } from './open-file.ts'
import { upload } from './upload.ts'

/** What an import has done, or why it wrote nothing more. */
export interface Outcome {
  created: number
  replaced: number
  /** How many of those that were written are not public. */
  hidden: number
  problem?: string
}

interface Result {
  created: number
  replaced: number
  userErrors: { message: string; path: string[] }[]
}

/** Templates and characters that the service takes at once by default. */
const mostTemplates = 1000
const mostCharacters = 500_000

const mutation = `mutation Import($input: [ImportProductInput!]!, $mode: ImportMode!, $message: String) {
  importProducts(input: $input, mode: $mode, message: $message) { created replaced userErrors { message path } } }`

interface Options {
  pictures: Pictures | undefined
  replaces: boolean
  message: string
  progress: (done: number) => void
  tellUploads: (progress: string) => void
}

/**
 * Imports the records that are new and, if `replaces`, those that change a template, after their pictures. The service
 * writes up to 1000 records at once, all or none.
 */
export async function send(
  contents: Contents,
  mapping: Mapping | undefined,
  { pictures, replaces, message, progress, tellUploads }: Options
): Promise<Outcome> {
  const outcome: Outcome = { created: 0, replaced: 0, hidden: 0 }
  const refusal = pictures && (await upload(contents, mapping, { pictures, replaces, tell: tellUploads }))
  if (refusal !== undefined) return { ...outcome, problem: refusal }
  let part: Part = { input: [], places: [], characters: 0 }
  const sendPart = async (): Promise<boolean> => {
    const { input, places } = part
    part = { input: [], places: [], characters: 0 }
    if (input.length === 0) return true
    const variables = { input, mode: replaces ? 'REPLACE' : 'KEEP', message }
    let found: Result
    try {
      found = (await write<{ importProducts: Result }>(mutation, variables)).importProducts
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) throw error
      outcome.problem = refusal
      return false
    }
    outcome.created += found.created
    outcome.replaced += found.replaced
    progress(outcome.created + outcome.replaced)
    if (found.userErrors.length === 0) {
      outcome.hidden += input.filter(({ publicProduct }) => !publicProduct).length
      return true
    }
    outcome.problem = found.userErrors.map(error => toSentence(error, places)).join(' ')
    return false
  }
  for await (const verdict of verdicts(contents, mapping, pictures)) {
    const { input: values, stored, place } = verdict
    if (!values || !isWritten(verdict, replaces)) continue
    const input = { ...values, expectedRevision: stored?.revision }
    const characters = JSON.stringify(input).length
    const isFull = part.input.length === mostTemplates || part.characters + characters > mostCharacters
    if (isFull && !(await sendPart())) return outcome
    part.input.push(input)
    part.places.push(place)
    part.characters += characters
  }
  await sendPart()
  return outcome
}

interface Part {
  input: (Input & { expectedRevision: number | undefined })[]
  places: number[]
  characters: number
}

function toSentence({ path, message }: { path: string[]; message: string }, places: number[]): string {
  const place = places[Number(path[1])]
  return place === undefined ? `${message}.` : `Row ${place}: ${message}.`
}
