import type { AuditEvent } from '../../../packages/client/schema.ts'
import { Time } from '../../parts/time.tsx'
import { hrefOf } from '../../route.ts'
import { pageInfo } from '../use-pages.ts'
import { describeEvent, nameActor } from './describe-event.ts'

export const trailQuery = `query Trail(
  $first: Int!, $actor: String, $target: String, $action: String, $since: String, $until: String, $after: String
) {
  auditEvents(
    first: $first, actor: $actor, target: $target, action: $action, since: $since, until: $until, after: $after
  ) {
    nodes { id time action actor { subject name clientId address } targetKind targetId details } ${pageInfo} } }`

/** A list of audit events, newest first. */
export const Events = ({ events }: { events: AuditEvent[] }) => (
  <ol class="admin-list card" aria-label="Events">
    {events.map(event => (
      <Event key={event.id} event={event} />
    ))}
  </ol>
)

function Event({ event }: { event: AuditEvent }) {
  const { time, actor, targetKind, targetId } = event
  const { verb, target, detail } = describeEvent(event)
  const name = nameActor(event)
  // A client that acts on its own behalf is the actor; its id is not repeated.
  const client = actor.clientId !== name && actor.clientId
  const tabs: Record<string, string> = { user: 'people', client: 'clients' }
  const tab = tabs[targetKind]
  return (
    <li>
      <p>
        <strong>{name}</strong> {verb}{' '}
        {target !== undefined &&
          (tab === undefined ? (
            <span class="mono">{target}</span>
          ) : (
            <a href={hrefOf(['admin', tab, targetId])}>{target}</a>
          ))}
        {detail}
      </p>
      <p class="muted">
        <Time time={time} />
        {client && ` · with ${client}`}
        {actor.address !== null && ` · from ${actor.address}`}
      </p>
    </li>
  )
}
