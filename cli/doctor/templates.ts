import { type Compared, compareTemplates } from '../../db/templates/index/compare.ts'
import { isReadable, readIndexState } from '../../db/templates/index/state.ts'
import { type Check, type Finding, findingsOf } from './finding.ts'

/** Templates that are compared, and milliseconds that it may take, unless all are wanted. */
const sample = 1000
const maxTime = 5000

/** The index and the revisions against the templates. */
export const checkTemplates: Check = async (db, _settings, full) => {
  const state = await readIndexState(db)
  if (!isReadable(state))
    return [
      index.warning(
        'the index of templates is not complete: filters that need it get 503',
        'the service completes it while it runs; or run `product-templates reindex`'
      )
    ]
  const compared = await compareTemplates(db, full ? {} : { sample, maxTime })
  const pending: Finding[] =
    state.pending === 0
      ? []
      : [
          index.warning(
            `${state.pending} templates written by plain SQL are not indexed yet`,
            'the service indexes them while it runs'
          )
        ]
  return [...pending, ...checkIndex(compared), ...checkRevisions(compared)]
}

const index = findingsOf('index')
const revisions = findingsOf('revisions')

function checkIndex({ unindexed, ...compared }: Compared): Finding[] {
  if (unindexed.length === 0) return [index.ok(`matches ${describe(compared)}`)]
  return [
    index.problem(`does not match ${list(unindexed)} of ${describe(compared)}`, 'product-templates reindex')
  ]
}

function checkRevisions({ unrecorded, gaps, ...compared }: Compared): Finding[] {
  const mend = 'restore a backup: see docs/backup.md'
  const found: Finding[] = []
  if (unrecorded.length > 0)
    found.push(
      revisions.problem(`the hash of the current revision is not that of \`data\`: ${list(unrecorded)}`, mend)
    )
  if (gaps.length > 0) found.push(revisions.problem(`revisions are missing: ${list(gaps)}`, mend))
  return found.length > 0 ? found : [revisions.ok(`match ${describe(compared)}`)]
}

const describe = ({ compared, stored }: { compared: number; stored: number }): string =>
  compared === stored ? `all ${stored} templates` : `${compared} of ${stored} templates (--full: all)`

const list = (ids: number[]): string =>
  `template ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
