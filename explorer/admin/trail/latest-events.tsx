import { useEffect, useState } from 'preact/hooks'
import type { AuditEvent } from '../../../packages/client/schema.ts'
import { isAborted, read } from '../../requests.ts'
import { hrefOf } from '../../route.ts'
import type { Page } from '../use-pages.ts'
import { Events, trailQuery } from './events.tsx'

interface Props {
  /** Filters by who acted, or by what was acted on. */
  actor?: string
  target?: string
  heading: string
  /** A new value reads the events again. */
  version: unknown
}

/** The latest events of an actor or about a target, with a link to all of them. */
export function LatestEvents({ actor, target, heading, version }: Props) {
  const [events, setEvents] = useState<AuditEvent[]>([])
  useEffect(() => {
    const stop = new AbortController()
    read<{ auditEvents: Page<AuditEvent> }>(trailQuery, { first: 5, actor, target }, stop.signal)
      .then(({ auditEvents }) => setEvents(auditEvents.nodes))
      .catch(error => {
        // The list is only additional information.
        if (!isAborted(error)) setEvents([])
      })
    return () => stop.abort()
  }, [actor, target, version])
  if (events.length === 0) return null
  const filter = new URLSearchParams(actor === undefined ? { target: target ?? '' } : { actor })
  return (
    <section class="latest">
      <h2>{heading}</h2>
      <Events events={events} />
      <a href={hrefOf(['admin', 'trail'], filter)}>All of it</a>
    </section>
  )
}
