import { mayPublish, mayWrite, rule } from '../../../../explorer/api.ts'
import { read } from '../../../../explorer/requests.ts'
import { maxTemplates, Parts, toSent } from '../sending/parts.ts'
import { isWritten, type Verdict } from './judge.ts'

interface Answer {
  importProducts: { userErrors: { code: string; path: string[] }[] }
}

const dryRun = `mutation MayImport($input: [ImportProductInput!]!) {
  importProducts(input: $input, mode: REPLACE, dryRun: true) { userErrors { code path } } }`

/**
 * Why the service refuses a row to this user. In mode `REPLACE`, an id is taken only by a template that they do not
 * see.
 */
const reasons: Record<string, string> = {
  OUTSIDE_RULE: 'your account may not write a template with these values',
  ID_TAKEN: 'another template has this id, and your account may not see it',
  NO_RIGHT_TO_PUBLISH:
    'only a publisher can make a template public or not public, or use the id of a deleted public one'
}

/**
 * Marks the rows that the user may not write. The service says which, in a dry run, because only it knows all that the
 * rights depend on.
 */
export async function* markForbidden(verdicts: AsyncIterable<Verdict>): AsyncGenerator<Verdict> {
  if (!isLimited()) return yield* verdicts
  const parts = new Parts()
  let part: Verdict[] = []
  for await (const verdict of verdicts) {
    const startsPart = isWritten(verdict, true) && parts.add(toSent(verdict))
    if (startsPart || part.length === maxTemplates) {
      yield* await markPart(part)
      part = []
    }
    part.push(verdict)
  }
  yield* await markPart(part)
}

/** Whether the user may write some templates, but not all, or whether that has not been read yet. */
const isLimited = (): boolean => mayWrite() && (!mayPublish() || rule.value !== null)

async function markPart(part: Verdict[]): Promise<Verdict[]> {
  const written = part.filter(verdict => isWritten(verdict, true))
  if (written.length === 0) return part
  const { importProducts } = await read<Answer>(dryRun, { input: written.map(toSent) })
  const found = new Map(
    importProducts.userErrors.map(({ code, path }) => [written[Number(path[1])], reasons[code]])
  )
  return part.map(verdict => {
    const details = found.get(verdict)
    return details === undefined ? verdict : { ...verdict, state: 'forbidden', details, odd: [] }
  })
}
