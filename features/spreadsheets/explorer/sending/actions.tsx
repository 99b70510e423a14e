import { OwnRule } from '../../../../explorer/edit/own-rule.tsx'
import { formatCount, plural } from '../../../../explorer/format.ts'
import { Button } from '../../../../explorer/ui/button.tsx'
import type { Preview } from '../rows/preview.ts'

interface Props {
  preview: Preview
  mayImport: boolean
  isBusy: boolean
  isImporting: boolean
  replaces: boolean
  skips: boolean
  onReplaces: (replaces: boolean) => void
  onSkips: (skips: boolean) => void
  onImport: () => void
}

/** The import button and its options. */
export function Actions({
  preview: { counts, hidden, parts },
  mayImport,
  isBusy,
  isImporting,
  replaces,
  skips,
  onReplaces,
  onSkips,
  onImport
}: Props) {
  const writes = counts.new + (replaces ? counts.changed : 0)
  const reason = !mayImport
    ? 'Your login may read, not change.'
    : counts.wrong > 0 && !skips
      ? 'Correct the wrong rows, or skip them.'
      : writes === 0
        ? counts.changed > 0
          ? 'There are no new rows. To change stored templates, check the box.'
          : 'There is nothing to import.'
        : describeParts(replaces ? parts.all : parts.new)
  const onlyChanges = counts.new === 0 && counts.changed > 0
  const isReady = mayImport && (counts.wrong === 0 || skips) && writes > 0 && !isBusy
  return (
    <div class="actions across">
      <Button look="primary" disabled={!isReady && !isImporting} isBusy={isImporting} onClick={onImport}>
        {onlyChanges ? `Change ${plural(counts.changed, 'template')}` : `Import ${plural(writes, 'row')}`}
      </Button>
      {counts.wrong > 0 && (
        <label class="button">
          <input type="checkbox" checked={skips} onChange={event => onSkips(event.currentTarget.checked)} />
          Skip the {plural(counts.wrong, 'wrong row')}
        </label>
      )}
      {counts.changed > 0 && (
        <label class="button">
          <input
            type="checkbox"
            checked={replaces}
            onChange={event => onReplaces(event.currentTarget.checked)}
          />
          Change the {plural(counts.changed, 'template that differs', 'templates that differ')}
        </label>
      )}
      <span class="muted">
        {counts.odd > 0 &&
          `${plural(counts.odd, 'row looks odd', 'rows look odd')}, but would be imported as in the file. `}
        {counts.forbidden > 0 &&
          `${plural(counts.forbidden, 'row is', 'rows are')} left out, because you may not write ${counts.forbidden === 1 ? 'it' : 'them'}. `}
        {hidden > 0 && `${describeHidden(hidden, counts.new)} `}
        {reason} Nothing is written before you press the button.
      </span>
      {counts.forbidden > 0 && <OwnRule />}
    </div>
  )
}

const describeParts = (parts: number): string =>
  parts === 1
    ? 'All of these rows are written, or none.'
    : `The rows are written in ${formatCount(parts)} parts. If a part fails, the parts before it stay written; the page says which rows they have, and you can continue with the others.`

const describeHidden = (hidden: number, all: number): string =>
  hidden < all
    ? `${formatCount(hidden)} of the ${formatCount(all)} new templates will not be public.`
    : `The new ${all === 1 ? 'template' : 'templates'} will not be public.`
