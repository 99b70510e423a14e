import { importPage } from '../additions.ts'
import { mayWrite } from '../api.ts'
import { Chips } from '../filters/chips.tsx'
import { readField } from '../requests.ts'
import { hrefOf } from '../route.ts'
import { useRead } from '../ui/use-read.ts'
import { type Criteria, isFiltered, writeCriteria } from './criteria.ts'

/** Shown instead of the list if no template matches, or if there are no templates at all. */
export function NoTemplates({ criteria }: { criteria: Criteria }) {
  if (isFiltered(criteria))
    return (
      <div class="nothing stack">
        <h2>No template matches all of this</h2>
        <DidYouMean key={criteria.search} criteria={criteria} />
        <p class="muted">Remove a filter:</p>
        <div class="across">
          <Chips criteria={criteria} />
        </div>
        <a class="button" href="#/">
          Show all templates
        </a>
      </div>
    )
  return (
    <div class="nothing stack">
      <h2>There are no templates yet</h2>
      <p class="muted">
        {!mayWrite()
          ? 'Nobody has created one.'
          : importPage
            ? 'Import a spreadsheet of your products, or create the first template here.'
            : 'Create the first one here.'}
      </p>
      {mayWrite() && (
        <div class="across">
          {importPage && (
            <a class="button primary" href={hrefOf(['import'])}>
              Import
            </a>
          )}
          <a class={importPage ? 'button' : 'button primary'} href={hrefOf(['new'])}>
            New template
          </a>
        </div>
      )}
      <a class="muted" href="#/deleted">
        Deleted templates
      </a>
    </div>
  )
}

/** Suggests another search if the words have a typing error. */
function DidYouMean({ criteria }: { criteria: Criteria }) {
  const { search } = criteria
  const { data: meant } = useRead(
    stop => (search.trim() === '' ? undefined : readSuggestion(search, stop)),
    [search]
  )
  return (
    meant && (
      <p>
        Did you mean <a href={hrefOf([], writeCriteria({ ...criteria, search: meant }))}>{meant}</a>?
      </p>
    )
  )
}

/** The texts of a template that the search covers. */
interface Texts {
  name: string
  document: { description: string | null; attributes: { value: unknown }[] } | null
}

const meantQuery = 'query Meant($search: String!) { searchSuggestion(search: $search) }'
const firstQuery = `query FirstMeant($search: String!) { products(first: 1, where: { search: $search }) {
  nodes { name document { description attributes { value } } } } }`

/** Returns a corrected search, with the accents of its first match; null if there is no correction. */
async function readSuggestion(search: string, stop: AbortSignal): Promise<string | null> {
  const meant = await readField<string | null>(meantQuery, { search: search.slice(0, 1000) }, stop)
  if (meant === null) return null
  const { nodes } = await readField<{ nodes: Texts[] }>(firstQuery, { search: meant }, stop)
  return nodes.reduce((words, hit) => writeAs(listTexts(hit).join(' '), words), meant)
}

const listTexts = ({ name, document }: Texts): unknown[] => [
  name,
  document?.description,
  ...(document?.attributes ?? []).map(({ value }) => value)
]

/** Replaces the words of a search, which have no accents, with their spelling in a text. */
function writeAs(text: string, words: string): string {
  const written = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const byPlain = new Map(written.map(word => [word.normalize('NFKD').replace(/\p{M}/gu, ''), word]))
  return words.replace(/[^ ]+/g, word => byPlain.get(word) ?? word)
}
