import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ValueChange } from '../bulk/examples.tsx'
import { formatCount, plural } from '../format.ts'
import { Button } from '../ui/button.tsx'
import { Cancel } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { MessageField } from '../ui/inputs.tsx'
import { useBusy } from '../ui/use-busy.ts'
import type { Pending } from './changes.ts'
import { Refusals } from './table-status.tsx'

interface Props {
  pending: Pending
  /** Called after the dialog has closed. */
  onClosed: () => void
}

/** The maximum number of templates whose changes are shown. */
const shown = 8

/** The dialog before many cells change: examples, and what is left out. */
export function Preview({ pending: { changes, leftOut, refused, save, cancel }, onClosed }: Props) {
  const [message, setMessage] = useState('')
  const [isBusy, runOnce] = useBusy()
  useEffect(() => onClosed, [])
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    runOnce(() => save(message))
  }
  const templates = Map.groupBy(changes, ({ item }) => item.id)
  const what = `Change ${plural(changes.length, 'cell')}`
  return (
    <Dialog
      title={`${what} of ${plural(templates.size, 'template')}`}
      class="bulk-dialog"
      onCancel={event => {
        if (isBusy) event.preventDefault()
      }}
      onClose={cancel}
    >
      <form class="stack" onSubmit={submit}>
        <div class="examples">
          <h2>{templates.size > shown ? `The first ${shown}` : 'They become'}</h2>
          <ul class="stack">
            {[...templates.values()].slice(0, shown).map(cells => (
              <li key={cells[0]?.item.id}>
                <strong>{cells[0]?.item.name || `Template ${cells[0]?.item.id}`}</strong>
                {cells.map(({ column, before, after }) => (
                  <span key={column.key} class="step muted">
                    <ValueChange label={column.label} before={before || 'empty'} after={after || 'empty'} />
                  </span>
                ))}
              </li>
            ))}
          </ul>
          {templates.size > shown && <p class="muted">And {formatCount(templates.size - shown)} more.</p>}
        </div>
        {(leftOut !== '' || refused.length > 0) && (
          <div class="notice warning">
            {leftOut}
            <Refusals refused={refused} />
          </div>
        )}
        <MessageField label="Reason, kept in each history" value={message} onChange={setMessage} />
        <div class="buttons">
          <Button type="submit" look="primary" isBusy={isBusy}>
            {what}
          </Button>
          {!isBusy && <Cancel isTyped={message !== ''} onCancel={cancel} />}
        </div>
      </form>
    </Dialog>
  )
}
