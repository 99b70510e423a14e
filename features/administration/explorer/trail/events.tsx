import { formatCount } from '../../../../explorer/format.ts'
import { hrefOf } from '../../../../explorer/route.ts'
import { Time } from '../../../../explorer/ui/time.tsx'
import { pageInfo } from '../../../../explorer/ui/use-pages.ts'
import type { AuditEvent } from '../../../../packages/client/schema.ts'
import { describeEvent, nameActor } from './describe-event.ts'

export const trailQuery = `query Trail(
  $first: Int!, $actor: String, $target: String, $action: String, $since: String, $until: String, $after: String
) {
  auditEvents(
    first: $first, actor: $actor, target: $target, action: $action, since: $since, until: $until, after: $after
  ) {
    nodes { id time action actor { subject name clientId address } targetKind targetId details } ${pageInfo} } }`

/** So many events of a kind in a row are shown one by one. */
const maxAlike = 3

/** A list of audit events, newest first. `folds`: of many events of a kind in a row, only one is shown at first. */
export const Events = ({ events, folds = false }: { events: AuditEvent[]; folds?: boolean }) => (
  <ol class="admin-list card" aria-label="Events">
    {(folds ? groupAlike(events) : [events]).flatMap(alike => {
      const isLong = folds && alike.length > maxAlike
      const shown = (isLong ? alike.slice(0, 1) : alike).map(event => <Event key={event.id} event={event} />)
      return isLong ? [...shown, <More key={`after ${alike[0]?.id}`} events={alike.slice(1)} />] : shown
    })}
  </ol>
)

/** Events of a kind, folded. */
const More = ({ events }: { events: AuditEvent[] }) => (
  <li>
    <details>
      <summary class="muted">… and {formatCount(events.length)} more like this</summary>
      <ol>
        {events.map(event => (
          <Event key={event.id} event={event} />
        ))}
      </ol>
    </details>
  </li>
)

/** Groups events that follow each other and have the same action and the same actor. */
export function groupAlike(events: AuditEvent[]): AuditEvent[][] {
  const groups: AuditEvent[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    const [before] = last ?? []
    if (last && before && isAlike(before, event)) last.push(event)
    else groups.push([event])
  }
  return groups
}

/** Compares ids, because two people may have the same name. */
const isAlike = (one: AuditEvent, other: AuditEvent): boolean =>
  one.action === other.action &&
  one.actor.subject === other.actor.subject &&
  one.actor.clientId === other.actor.clientId

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
