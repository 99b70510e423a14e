import { useState } from 'preact/hooks'
import { startOfDay } from '../../../explorer/admin/filters.tsx'
import { finish } from '../../../explorer/admin/mutation.ts'
import { showSecret } from '../../../explorer/admin/secret-dialog.tsx'
import { Button } from '../../../explorer/ui/button.tsx'
import { Confirm } from '../../../explorer/ui/confirm.tsx'
import { Field } from '../../../explorer/ui/field.tsx'
import { Select, TextInput } from '../../../explorer/ui/inputs.tsx'
import type { Webhook } from '../../../packages/client/schema.ts'
import { ChangeWebhook, secretAdvice } from './webhook-form.tsx'
import { deleteWebhook, replayWebhook, rotateSecret, testWebhook, updateWebhook } from './write.ts'

interface Props {
  webhook: Webhook
  onChange: () => void
}

/** The actions on a webhook. Only the test needs no confirmation. */
export function WebhookActions({ webhook, onChange }: Props) {
  const { id, url, disabled } = webhook
  const rotate = async () => {
    const { problems, result } = await rotateSecret(id)
    if (!result?.secret) return problems
    showSecret({ title: 'The new secret of the webhook', text: result.secret, advice: secretAdvice })
    return []
  }
  return (
    <div class="admin-actions across">
      <ChangeWebhook webhook={webhook} onChange={onChange} />
      <Test id={id} />
      <Replay id={id} onChange={onChange} />
      <Confirm title="Replace the secret?" label="Replace secret" confirmLabel="Replace" onConfirm={rotate}>
        For one day, messages are signed with both secrets.
      </Confirm>
      <Confirm
        title={disabled ? 'Enable this webhook?' : 'Disable this webhook?'}
        label={disabled ? 'Enable' : 'Disable'}
        onConfirm={() => finish(updateWebhook(id, { disabled: !disabled }), onChange)}
      >
        {disabled ? 'It continues where it stopped.' : 'Nothing is sent, and no change is lost.'}
      </Confirm>
      <Confirm
        title="Delete this webhook?"
        label="Delete"
        confirmLabel="Delete the webhook"
        look="danger"
        onConfirm={() => finish(deleteWebhook(id), onChange)}
      >
        {url} gets no more messages, and waiting ones are deleted. To stop for a while, disable it instead.
      </Confirm>
    </div>
  )
}

/** Sends a test message, and says what the receiver answered. */
function Test({ id }: { id: string }) {
  const [answer, setAnswer] = useState<{ text: string; isFailure: boolean }>()
  const send = async () => {
    setAnswer(undefined)
    const { problems, result } = await testWebhook(id)
    const failure = problems[0] ?? (result?.error && `The test failed: ${result.error}.`)
    setAnswer({ text: failure || `The receiver answered with ${result?.status}.`, isFailure: !!failure })
  }
  return (
    <>
      <Button onClick={send}>Send a test</Button>
      <div role="status">
        {answer && <p class={answer.isFailure ? 'notice warning' : 'notice'}>{answer.text}</p>}
      </div>
    </>
  )
}

const whats = [
  ['waiting', 'Messages that wait for another attempt, now'],
  ['dead', 'Also messages that were given up'],
  ['since', 'All changes since a day']
] as const

function Replay({ id, onChange }: { id: string; onChange: () => void }) {
  const [what, setWhat] = useState<(typeof whats)[number][0]>('waiting')
  const [day, setDay] = useState('')
  const replay = async () => {
    const since = what === 'since' ? startOfDay(day) : undefined
    if (what === 'since' && since === undefined) return ['Choose a day.']
    return finish(replayWebhook(id, { ...(since && { since }), dead: what === 'dead' }), onChange)
  }
  return (
    <Confirm title="Send messages again?" label="Send again" onConfirm={replay}>
      <Field label="Which">
        <Select value={what} choices={whats} onChange={setWhat} />
      </Field>
      {what === 'since' && (
        <Field label="Since">
          <TextInput type="date" value={day} onChange={setDay} />
        </Field>
      )}
      <p>The receiver may get a message twice, with the same id.</p>
    </Confirm>
  )
}
