import { type Compared, compareTemplates } from '../../db/templates/index/compare.ts'
import { isReadable, readIndexState } from '../../db/templates/index/state.ts'
import { type Check, type Finding, ok, problem, warning } from './finding.ts'

/** Templates that are compared, and milliseconds that it may take, unless all are wanted. */
const sample = 1000
const maxTime = 5000

/** Compares the index and the revisions with the templates. */
export const checkTemplates: Check = async function* (db, _settings, full) {
  const state = await readIndexState(db)
  if (!isReadable(state)) {
    const text = 'the index of templates is not complete: filters that need it get 503'
    const mend = 'the service completes it while it runs; or run `product-templates reindex`'
    return yield warning('index', text, mend)
  }
  const compared = await compareTemplates(db, full ? {} : { sample, maxTime })
  if (state.pending > 0) {
    const text = `${state.pending} templates written by plain SQL are not indexed yet`
    yield warning('index', text, 'the service indexes them while it runs')
  }
  yield* describeDifferences(compared)
}

function* describeDifferences({ unindexed, unrecorded, gaps, ...counts }: Compared): Generator<Finding> {
  const all = describe(counts)
  if (unindexed.length === 0) yield ok('index', `matches ${all}`)
  else yield problem('index', `does not match ${list(unindexed)} of ${all}`, 'product-templates reindex')
  const mend = 'restore a backup: see docs/backup.md'
  const wrongHash = `the hash of the current revision is not that of \`data\`: ${list(unrecorded)}`
  if (unrecorded.length > 0) yield problem('revisions', wrongHash, mend)
  if (gaps.length > 0) yield problem('revisions', `revisions are missing: ${list(gaps)}`, mend)
  if (unrecorded.length + gaps.length === 0) yield ok('revisions', `match ${all}`)
}

const describe = ({ compared, stored }: { compared: number; stored: number }): string =>
  compared === stored ? `all ${stored} templates` : `${compared} of ${stored} templates (--full: all)`

const list = (ids: number[]): string =>
  `template ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}`
