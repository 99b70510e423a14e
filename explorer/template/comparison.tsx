import { diffArrays } from 'diff'
import { useMemo } from 'preact/hooks'
import { Failure, Loading } from '../ui/reading.tsx'
import { useRead } from '../ui/use-read.ts'
import { toLines, visible } from './bytes.tsx'
import { compareFields } from './compare-fields.ts'
import { readContents } from './read.ts'

/** The difference between two revisions: fields and traits, then bytes. */
export function Comparison({ id, from, to }: { id: number; from: number; to: number }) {
  const { data, hasFailed, reread } = useRead(
    stop => Promise.all([from, to].map(async number => (number < 1 ? null : readContents(id, number, stop)))),
    [id, from, to]
  )
  if (hasFailed) return <Failure problem="The revisions could not be read." onRetry={reread} />
  if (!data) return <Loading />
  const [before, after] = data
  if (!after) return <p class="notice">In this revision the template was deleted.</p>
  const changes = compareFields(before, after)
  return (
    <>
      {before && changes.length === 0 && before.data === after.data && <p class="muted">Nothing differs.</p>}
      {changes.length > 0 && (
        <table class="lines fields-changed">
          <tbody>
            {changes.map(({ label, from, to }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>
                  {from !== undefined && <del>{from}</del>} {from !== undefined && to !== undefined && '→ '}
                  {to === undefined ? <em class="muted">removed</em> : <ins>{to}</ins>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {before?.data !== after.data && (
        <details open={changes.length === 0}>
          <summary>Show as JSON</summary>
          <p class="mono muted">{after.hash}</p>
          <ByteDiff before={before?.data ?? ''} after={after.data} />
        </details>
      )}
    </>
  )
}

/** Equal lines shown around a change. */
const context = 3
/** The edit distance from which the texts count as entirely different. */
const maxEdits = 4000

/** Lines that follow each other and are all equal, added or removed. */
interface Run {
  sign: '+' | '-' | ' '
  lines: string[]
}

const toTexts = (data: string): string[] =>
  data === ''
    ? []
    : toLines(data).map(({ pieces }) =>
        pieces.map(({ text, kind }) => (kind === 'space' ? visible(text) : text)).join('')
      )

function compare(before: string, after: string): Run[] {
  const [old, now] = [toTexts(before), toTexts(after)]
  const found = diffArrays(old, now, { maxEditLength: maxEdits }) ?? [
    { removed: true, value: old },
    { added: true, value: now }
  ]
  return found.map(({ added, removed, value }) => ({ sign: added ? '+' : removed ? '-' : ' ', lines: value }))
}

/** The difference between two texts with visible white space. */
function ByteDiff({ before, after }: { before: string; after: string }) {
  const runs = useMemo(() => compare(before, after), [before, after])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="diff mono scrolls card" tabIndex={0} aria-label="Difference of the data">
      {runs.map((run, at) => (
        <RunLines key={at} run={run} isFirst={at === 0} isLast={at === runs.length - 1} />
      ))}
    </section>
  )
}

const classes = { '+': 'added', '-': 'removed', ' ': '' }

function RunLines({ run, isFirst, isLast }: { run: Run; isFirst: boolean; isLast: boolean }) {
  const { sign, lines } = run
  const Text = sign === '+' ? 'ins' : sign === '-' ? 'del' : 'span'
  const show = (text: string, at: number) => (
    <div key={at} class={classes[sign]}>
      <span class="sign">{sign}</span>
      <Text>{text}</Text>
    </div>
  )
  const [ahead, behind] = [isFirst ? 0 : context, isLast ? 0 : context]
  if (sign !== ' ' || lines.length <= ahead + behind + 1) return <>{lines.map(show)}</>
  const skipped = lines.length - ahead - behind
  return (
    <>
      {lines.slice(0, ahead).map(show)}
      <div class="skipped">⋯ {skipped} equal lines</div>
      {lines.slice(lines.length - behind).map(show)}
    </>
  )
}
