import { useState } from 'preact/hooks'
import { Checks } from '../../../explorer/admin/checks.tsx'
import { DialogForm } from '../../../explorer/admin/dialog-form.tsx'
import { finish } from '../../../explorer/admin/mutation.ts'
import { showSecret } from '../../../explorer/admin/secret-dialog.tsx'
import { formatRule, parseRule } from '../../../explorer/rule/format.ts'
import { RuleField } from '../../../explorer/rule/rule-field.tsx'
import { Field } from '../../../explorer/ui/field.tsx'
import { TextInput } from '../../../explorer/ui/inputs.tsx'
import type { AddWebhookInput, Webhook, WebhookEvent } from '../../../packages/client/schema.ts'
import { addWebhook, updateWebhook } from './write.ts'

export const eventLabels: Record<WebhookEvent, string> = {
  created: 'Created',
  updated: 'Changed',
  deleted: 'Deleted'
}
const allEvents = Object.keys(eventLabels) as WebhookEvent[]

/** The advice next to each secret. */
export const secretAdvice = 'Give it to the receiver, which checks the signatures of the messages with it.'

interface Typed {
  url: string
  rule: string
  events: WebhookEvent[]
}

/** Checks what was typed, and hands it over. Returns the problems. */
async function submit(
  { url, rule, events }: Typed,
  save: (input: AddWebhookInput) => Promise<string[]>
): Promise<string[]> {
  const read = parseRule(rule)
  if ('problem' in read) return [read.problem]
  if (events.length === 0) return ['Choose at least one kind of change.']
  return save({ url: url.trim(), where: read.where, events })
}

const empty: Typed = { url: '', rule: '', events: allEvents }

/** Adds a webhook and shows its secret. */
export function AddWebhook({ onAdded }: { onAdded: () => void }) {
  const [typed, setTyped] = useState(empty)
  const add = async (input: AddWebhookInput) => {
    const { problems, result } = await addWebhook(input)
    if (!result?.secret) return problems
    setTyped(empty)
    showSecret({ title: 'The secret of the webhook', text: result.secret, advice: secretAdvice })
    onAdded()
    return []
  }
  return (
    <DialogForm title="Add a webhook" submitLabel="Add" onSubmit={() => submit(typed, add)}>
      <WebhookFields typed={typed} onChange={setTyped} />
    </DialogForm>
  )
}

/** Changes the address, the events or the filter of a webhook. */
export function ChangeWebhook({ webhook, onChange }: { webhook: Webhook; onChange: () => void }) {
  const { id, url, events, where } = webhook
  const stored: Typed = { url, events, rule: formatRule(where) }
  const [typed, setTyped] = useState(stored)
  const save = (input: AddWebhookInput) => finish(updateWebhook(id, input), onChange)
  return (
    <DialogForm
      title="Change"
      look=""
      submitLabel="Save"
      onOpen={() => setTyped(stored)}
      onSubmit={() => submit(typed, save)}
    >
      <WebhookFields typed={typed} onChange={setTyped} />
    </DialogForm>
  )
}

function WebhookFields({ typed, onChange }: { typed: Typed; onChange: (typed: Typed) => void }) {
  const { url, rule, events } = typed
  return (
    <>
      <Field label="Address">
        <TextInput
          type="url"
          required
          maxLength={2000}
          placeholder="https://"
          value={url}
          onChange={url => onChange({ ...typed, url })}
        />
      </Field>
      <Checks
        legend="Changes to send"
        choices={Object.entries(eventLabels)}
        chosen={events}
        onChange={chosen => onChange({ ...typed, events: allEvents.filter(event => chosen.includes(event)) })}
      />
      <RuleField
        title="Templates whose changes are sent"
        seeLabel="See these templates"
        rule={rule}
        onChange={rule => onChange({ ...typed, rule })}
      >
        <Field label="Filter as JSON, like “where” of “products”; empty: all">
          <TextInput
            class="field mono"
            isLong
            rows={rule.includes('\n') ? 6 : 2}
            spellcheck={false}
            value={rule}
            onChange={rule => onChange({ ...typed, rule })}
          />
        </Field>
      </RuleField>
    </>
  )
}
