import { diffArrays } from 'diff'
import { useMemo } from 'preact/hooks'
import { toLines, visible } from './bytes.ts'

/** Equal lines shown around a change. */
const context = 3
/** The edit distance from which the texts count as entirely different. */
const maxEdits = 4000

interface Part {
  sign: '+' | '-' | ' '
  lines: string[]
}

const toTexts = (data: string): string[] =>
  data === ''
    ? []
    : toLines(data).map(({ pieces }) =>
        pieces.map(({ text, kind }) => (kind === 'space' ? visible(text) : text)).join('')
      )

function compare(before: string, after: string): Part[] {
  const [old, now] = [toTexts(before), toTexts(after)]
  const found = diffArrays(old, now, { maxEditLength: maxEdits }) ?? [
    { removed: true, value: old },
    { added: true, value: now }
  ]
  return found.map(({ added, removed, value }) => ({ sign: added ? '+' : removed ? '-' : ' ', lines: value }))
}

/** The difference between two texts with visible white space. */
export function ByteDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(() => compare(before, after), [before, after])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class="diff card" tabIndex={0} aria-label="Difference of the data">
      {parts.map((part, at) => (
        <PartLines key={at} part={part} isFirst={at === 0} isLast={at === parts.length - 1} />
      ))}
    </section>
  )
}

const classes = { '+': 'added', '-': 'removed', ' ': '' }

function PartLines({ part, isFirst, isLast }: { part: Part; isFirst: boolean; isLast: boolean }) {
  const { sign, lines } = part
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
