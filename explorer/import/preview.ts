import { chosenFields, type TemplateValues } from '../../db/templates/table/columns.ts'
import { read } from '../asking.ts'
import { compareFields } from '../template/compare-fields.ts'
import type { Checked, Input } from './candidate.ts'

/** What an import would do with a record. */
export interface Row {
  place: number
  name: string
  state: 'new' | 'changed' | 'unchanged' | 'wrong'
  /** What is wrong, or what differs. */
  details: string
  input?: Input
}

const atOnce = 100
const query = `query Existing($ids: [Int!]!, $first: Int) { products(first: $first, where: { id: { in: $ids } }) {
  nodes { id ${chosenFields.join(' ')} } } }`

/** Compares the records with the templates of the service. */
export async function preview(checked: Checked[]): Promise<Row[]> {
  const ids = checked.flatMap(found =>
    'input' in found && found.input.id !== undefined ? [found.input.id] : []
  )
  const existing = await readExisting(ids)
  const seen = new Set<number>()
  return checked.map(found => {
    if (!('input' in found)) return { ...found, state: 'wrong', details: found.problem }
    const { place, input } = found
    const row = { place, name: input.name, input, details: '' }
    if (input.id !== undefined && seen.has(input.id))
      return { ...row, state: 'wrong', details: `the id ${input.id} is in the file twice` }
    if (input.id !== undefined) seen.add(input.id)
    const now = existing.get(input.id ?? -1)
    if (!now) return { ...row, state: 'new' }
    const changes = compareFields(now, { ...now, ...input }).map(({ label }) => label)
    if (changes.length > 0) return { ...row, state: 'changed', details: changes.join(', ') }
    return now.data === input.data
      ? { ...row, state: 'unchanged' }
      : { ...row, state: 'changed', details: 'only the bytes of the data' }
  })
}

async function readExisting(ids: number[]): Promise<Map<number, TemplateValues>> {
  const found = new Map<number, TemplateValues>()
  for (let at = 0; at < ids.length; at += atOnce) {
    const variables = { ids: ids.slice(at, at + atOnce), first: atOnce }
    const { products } = await read<{ products: { nodes: (TemplateValues & { id: number })[] } }>(
      query,
      variables
    )
    for (const node of products.nodes) found.set(node.id, node)
  }
  return found
}
