import { useQuery } from '../../../explorer/admin/use-pages.ts'
import { plural } from '../../../explorer/format.ts'
import { listLabels } from '../../../explorer/rule/rule-criteria.ts'
import { Reading } from '../../../explorer/ui/reading.tsx'
import { Time } from '../../../explorer/ui/time.tsx'
import type { Webhook, WebhookMessage } from '../../../packages/client/schema.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { AddWebhook, eventLabels } from './webhook-form.tsx'

const query = `query Webhooks { webhooks { id url where events disabled disabledBecause behind waiting dead lastError
  failedMessages { templateId attempts dead error timeTried timeNext } } }`

/** The webhooks, each with the state of its deliveries. */
export function Webhooks() {
  const reading = useQuery<{ webhooks: Webhook[] }>(query)
  const { data, reread } = reading
  const webhooks = data?.webhooks
  return (
    <>
      <div class="title across">
        <h1>Webhooks</h1>
        <AddWebhook onAdded={reread} />
      </div>
      <p class="muted">
        The service sends each change of a template to these addresses, with a signature, and tries again if
        an address does not answer.
      </p>
      <Reading of={reading} problem="The webhooks could not be read." />
      {webhooks?.length === 0 && <p class="muted">There are no webhooks yet.</p>}
      {webhooks?.map(webhook => (
        <OneWebhook key={webhook.id} webhook={webhook} onChange={reread} />
      ))}
    </>
  )
}

function OneWebhook({ webhook, onChange }: { webhook: Webhook; onChange: () => void }) {
  const { id, url, where, events, failedMessages } = webhook
  return (
    <section class="admin-form card" aria-label={`Webhook ${url}`}>
      <h2 class="mono">{url}</h2>
      <p class="muted">
        {events.map(event => eventLabels[event]).join(', ')} · {describeFilter(where)} ·{' '}
        <span class="mono">{id}</span>
      </p>
      <p>{describeState(webhook)}</p>
      <WebhookActions webhook={webhook} onChange={onChange} />
      {failedMessages.length > 0 && <Failed messages={failedMessages} />}
    </section>
  )
}

function describeFilter(where: string | null): string {
  const labels = listLabels(where ?? '')
  return labels ? labels.join(', ') || 'all templates' : 'a filter that was written by hand'
}

function describeState({ disabled, disabledBecause, behind, waiting, dead }: Webhook): string {
  const parts = [
    ...(disabled ? [disabledBecause === null ? 'Disabled' : `Disabled, because ${disabledBecause}`] : []),
    ...(behind > 0 ? [`${plural(behind, 'change')} not sent yet`] : []),
    ...(waiting > 0 ? [`${plural(waiting, 'message')} to be tried again`] : []),
    ...(dead > 0 ? [`${plural(dead, 'message')} given up`] : [])
  ]
  return parts.length === 0 ? 'Nothing waits to be sent.' : `${parts.join('; ')}.`
}

/** The last attempts that failed. */
const Failed = ({ messages }: { messages: WebhookMessage[] }) => (
  <details>
    <summary>Last failed attempts ({messages.length})</summary>
    <ol class="admin-list">
      {messages.map(({ templateId, attempts, dead, error, timeTried, timeNext }) => (
        <li key={`${templateId} ${timeTried}`}>
          <strong>Template {templateId}</strong>
          <p class="muted">
            <Time time={timeTried} /> · {plural(attempts, 'attempt')} · {error}
            {dead && ' · given up'}
            {timeNext !== null && (
              <>
                {' '}
                · again at <Time time={timeNext} />
              </>
            )}
          </p>
        </li>
      ))}
    </ol>
  </details>
)
