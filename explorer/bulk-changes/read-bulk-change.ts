import type { ProductRevision, BulkChange as StoredBulkChange } from '../../packages/client/schema.ts'
import { upperFirst } from '../edit/problem.ts'
import { formatCount, plural } from '../format.ts'
import { readField } from '../requests.ts'
import { readRevisionsByKey } from '../revisions.ts'
import { pageInfo } from '../ui/use-pages.ts'
import { noPage, type Page, toListPage } from '../ui/use-read.ts'

type Undo = Pick<StoredBulkChange, 'author' | 'time' | 'count' | 'undone'>

/** What describes a bulk change in a line. */
type Summary = Pick<StoredBulkChange, 'id' | 'action' | 'count' | 'created' | 'deleted' | 'time'>

/** A bulk change that another one has undone. */
interface Former extends Summary {
  undoes?: Former | null
}

/** A write of many templates. */
export interface BulkChange extends Omit<StoredBulkChange, 'revisions' | 'undoes' | 'undoneBy'> {
  undoes: Former | null
  undoneBy: (Undo & { undoneBy: Pick<Undo, 'undone'> | null }) | null
}

/** The maximum number of steps back that are read. One more shows that there are others. */
const maxSteps = 3
const summary = 'id action created deleted time count'
const undo = 'author { name clientName } time count undone'
export const bulkChangeFields = `message ${summary} ${undo}
  undoes { ${summary} undoes { ${summary} undoes { ${summary} undoes { id } } } }
  undoneBy { ${undo} undoneBy { undone } }`

/** Finds what a bulk change has undone or, by undoing an undo, redone. Of more steps, only the last one is known. */
export function findFormer({ undoes }: BulkChange): { verb: 'Undo' | 'Redo'; former: Summary } | undefined {
  const steps: Former[] = []
  for (let each = undoes; each; each = each.undoes ?? null) steps.push(each)
  const [last] = steps
  const first = steps.at(-1)
  if (!last || !first) return undefined
  if (steps.length > maxSteps) return { verb: 'Undo', former: last }
  return { verb: steps.length % 2 === 0 ? 'Redo' : 'Undo', former: first }
}

/** A revision that a bulk change wrote. */
interface WrittenTemplate extends Pick<ProductRevision, 'templateId' | 'number' | 'isLatest'> {
  /** null if the revision is a deletion. */
  contents: { name: string; document: { image: string | null } | null } | null
}

const contents = 'contents { name document { image } }'

const writtenQuery = `query Written($id: ID!, $after: String) { bulkChange(id: $id) {
  revisions(first: 50, after: $after) { nodes { templateId number isLatest ${contents} } ${pageInfo} } } }`

/** Returns `Created 100, changed 20 templates`. An import and a restoration may do several things. */
export function describeBulkChange({ action, count, created, deleted }: Summary): string {
  const isRestored = action === 'RESTORE'
  const parts: [number, string][] = [
    [isRestored ? count - deleted : created, isRestored ? 'restored' : 'created'],
    [isRestored ? 0 : count - created - deleted, 'changed'],
    [deleted, 'deleted']
  ]
  const done = parts.filter(([templates]) => templates > 0)
  const texts = done.map(([templates, verb], at) =>
    at < done.length - 1 ? `${verb} ${formatCount(templates)}` : `${verb} ${plural(templates, 'template')}`
  )
  return upperFirst(texts.join(', '))
}

/** The same, but says whether it was an undo or a redo: `Undo: deleted 119 templates`. */
export function titleOf(bulkChange: BulkChange): string {
  const [found, text] = [findFormer(bulkChange), describeBulkChange(bulkChange)]
  return found ? `${found.verb}: ${text.charAt(0).toLowerCase()}${text.slice(1)}` : text
}

/** Reads a page of the revisions that a bulk change wrote. A deletion gets the contents before it. */
export async function readWrittenTemplates(id: string, after: string | undefined, stop: AbortSignal) {
  const bulkChange = await readField<{ revisions: Page<WrittenTemplate> } | null>(
    writtenQuery,
    { id, after },
    stop
  )
  const { nodes, pageInfo } = bulkChange?.revisions ?? noPage
  const deletions = nodes.filter(({ contents }) => contents === null)
  const keys = deletions.map(({ templateId, number }) => ({ id: templateId, number: number - 1 }))
  const former = await readRevisionsByKey<Pick<WrittenTemplate, 'contents'>>(keys, contents, stop)
  const shown = nodes.map(node => ({
    ...node,
    isDeletion: node.contents === null,
    contents: node.contents ?? former[deletions.indexOf(node)]?.contents
  }))
  return toListPage({ nodes: shown, pageInfo })
}
