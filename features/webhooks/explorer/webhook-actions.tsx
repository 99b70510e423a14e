import { useState } from 'preact/hooks'
import { startOfDay } from '../../../explorer/admin/filters.tsx'
import { finish } from '../../../explorer/admin/mutation.ts'
import { showSecret } from '../../../explorer/admin/secret-dialog.tsx'
import { Confirm } from '../../../explorer/parts/confirm.tsx'
import { busy, useBusy } from '../../../explorer/parts/use-busy.ts'
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
    <div class="admin-actions">
      <ChangeWebhook webhook={webhook} onChange={onChange} />
      <Test id={id} />
      <Replay id={id} onChange={onChange} />
      <Confirm title="Replace the secret?" label="Replace secret" confirmLabel="Replace" onConfirm={rotate}>
        For one day, messages are signed with both secrets.
      </Confirm>
      <Confirm
        title={disabled ? 'Enable this webhook?' : 'Disable this webhook?'}
        label={disabled ? 'Enable' : 'Disable'}
        confirmLabel={disabled ? 'Enable' : 'Disable'}
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
        {url} gets no more messages. Those that wait are deleted. To stop for a while, disable it instead.
      </Confirm>
    </div>
  )
}

/** Sends a test message, and says what the receiver answered. */
function Test({ id }: { id: string }) {
  const [answer, setAnswer] = useState<{ text: string; isFailure: boolean }>()
  const [isBusy, runOnce] = useBusy()
  const send = async () => {
    setAnswer(undefined)
    const { problems, result } = await testWebhook(id)
    const failure = problems[0] ?? (result?.error && `The test failed: ${result.error}.`)
    setAnswer({ text: failure || `The receiver answered with ${result?.status}.`, isFailure: !!failure })
  }
  return (
    <>
      <button type="button" class="button" {...busy(isBusy)} onClick={() => runOnce(send)}>
        Send a test
      </button>
      <div role="status">
        {answer && <p class={answer.isFailure ? 'notice warning' : 'notice'}>{answer.text}</p>}
      </div>
    </>
  )
}

type What = 'waiting' | 'dead' | 'since'

function Replay({ id, onChange }: { id: string; onChange: () => void }) {
  const [what, setWhat] = useState<What>('waiting')
  const [day, setDay] = useState('')
  const replay = async () => {
    const since = what === 'since' ? startOfDay(day) : undefined
    if (what === 'since' && since === undefined) return ['Choose a day.']
    return finish(replayWebhook(id, { ...(since && { since }), dead: what === 'dead' }), onChange)
  }
  return (
    <Confirm title="Send messages again?" label="Send again" confirmLabel="Send again" onConfirm={replay}>
      <label class="form-field">
        <span class="label">Which</span>
        <select class="field" value={what} onChange={event => setWhat(event.currentTarget.value as What)}>
          <option value="waiting">Those that wait for another attempt, now</option>
          <option value="dead">Also those that were given up</option>
          <option value="since">All changes since a day</option>
        </select>
      </label>
      {what === 'since' && (
        <label class="form-field">
          <span class="label">Since</span>
          <input
            class="field"
            type="date"
            value={day}
            onChange={event => setDay(event.currentTarget.value)}
          />
        </label>
      )}
      <p>The receiver may get a message twice, with the same id.</p>
    </Confirm>
  )
}
