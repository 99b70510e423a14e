import { useState } from 'preact/hooks'
import { DialogForm } from '../../../explorer/admin/dialog-form.tsx'
import { parseRule } from '../../../explorer/admin/people/format.ts'
import { showSecret } from '../../../explorer/admin/secret-dialog.tsx'
import type { WebhookEvent } from '../../../packages/client/schema.ts'
import { addWebhook } from './write.ts'

export const eventLabels: Record<WebhookEvent, string> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted'
}
const allEvents = Object.keys(eventLabels) as WebhookEvent[]

/** The advice next to each secret. */
export const secretAdvice = 'Give it to the receiver, which checks the signatures of the messages with it.'

const empty = { url: '', rule: '', events: allEvents }

/** Adds a webhook and shows its secret. */
export function AddWebhook({ onAdded }: { onAdded: () => void }) {
  const [typed, setTyped] = useState(empty)
  const { url, rule, events } = typed
  const add = async () => {
    const read = parseRule(rule)
    if ('problem' in read) return [read.problem]
    if (events.length === 0) return ['Choose at least one kind of change.']
    const { problems, result } = await addWebhook({ url: url.trim(), where: read.where, events })
    if (!result?.secret) return problems
    setTyped(empty)
    showSecret({ title: 'The secret of the webhook', text: result.secret, advice: secretAdvice })
    onAdded()
    return []
  }
  return (
    <DialogForm title="Add a webhook" submitLabel="Add" onSubmit={add}>
      <label class="form-field">
        <span class="label">Address</span>
        <input
          class="field"
          type="url"
          required
          maxLength={2000}
          placeholder="https://"
          autocomplete="off"
          value={url}
          onInput={event => setTyped({ ...typed, url: event.currentTarget.value })}
        />
      </label>
      <fieldset class="checks">
        <legend class="label">Changes to send</legend>
        {allEvents.map(event => (
          <label key={event} class="check">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={({ currentTarget: { checked } }) =>
                setTyped({
                  ...typed,
                  events: allEvents.filter(each => (each === event ? checked : events.includes(each)))
                })
              }
            />{' '}
            {eventLabels[event]}
          </label>
        ))}
      </fieldset>
      <label class="form-field">
        <span class="label">Only these templates, as JSON like “where” of “products”; empty: all</span>
        <textarea
          class="field rule"
          rows={2}
          spellcheck={false}
          value={rule}
          onInput={event => setTyped({ ...typed, rule: event.currentTarget.value })}
        />
      </label>
    </DialogForm>
  )
}
