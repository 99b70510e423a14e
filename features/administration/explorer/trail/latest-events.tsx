import { readField } from '../../../../explorer/requests.ts'
import { hrefOf } from '../../../../explorer/route.ts'
import type { Page } from '../../../../explorer/ui/use-read.ts'
import { useRead } from '../../../../explorer/ui/use-read.ts'
import type { AuditEvent } from '../../../../packages/client/schema.ts'
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
  // Failures are not shown: the list is only additional information.
  const { data } = useRead(
    stop => readField<Page<AuditEvent>>(trailQuery, { first: 5, actor, target }, stop),
    [actor, target, version]
  )
  if (!data || data.nodes.length === 0) return null
  const filter = new URLSearchParams(actor === undefined ? { target: target ?? '' } : { actor })
  return (
    <section class="latest stack">
      <h2>{heading}</h2>
      <Events events={data.nodes} />
      <a href={hrefOf(['admin', 'trail'], filter)}>All events</a>
    </section>
  )
}
