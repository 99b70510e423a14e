import { mayWrite } from '../api.ts'
import { importPage } from '../feature-parts.ts'
import { Chips } from '../filters/chips.tsx'
import { hrefOf } from '../route.ts'
import { type Criteria, isFiltered } from './criteria.ts'
import { DidYouMean } from './did-you-mean.tsx'

/** Shown instead of the list if no template matches, or if there are no templates at all. */
export function NoTemplates({ criteria }: { criteria: Criteria }) {
  if (isFiltered(criteria))
    return (
      <div class="nothing">
        <h2>No template matches all of this</h2>
        <DidYouMean criteria={criteria} />
        <p class="muted">Remove a filter:</p>
        <div class="chips">
          <Chips criteria={criteria} />
        </div>
        <a class="button" href="#/">
          Show all templates
        </a>
      </div>
    )
  return (
    <div class="nothing">
      <h2>There are no templates yet</h2>
      <p class="muted">
        {!mayWrite()
          ? 'Nobody has created one.'
          : importPage
            ? 'Import a spreadsheet of your products, or create the first template here.'
            : 'Create the first one here.'}
      </p>
      {mayWrite() && (
        <div class="chips">
          <a class="button primary" href={hrefOf(['new'])}>
            New template
          </a>
          {importPage && (
            <a class="button" href={hrefOf(['import'])}>
              Import
            </a>
          )}
        </div>
      )}
      <a class="muted" href="#/deleted">
        Deleted templates
      </a>
    </div>
  )
}
