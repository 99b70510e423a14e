import type { AuditEvent } from '../../../packages/client/schema.ts'
import { Loading } from '../../parts/loading.tsx'
import { route } from '../../route.ts'
import { FilterDate, FilterSelect, FilterText, startOfDay } from '../filters.tsx'
import { usePages } from '../use-pages.ts'
import { actionChoices } from './describe-event.ts'
import { Events, trailQuery } from './events.tsx'
import { ExportTrail } from './export-trail.tsx'
import { useTarget } from './use-target.ts'

/** The events about users, clients and keys, newest first. */
export function Trail() {
  const { params } = route.value
  const given = (name: string) => params.get(name) ?? undefined
  const target = useTarget(given('target'))
  const isUnknown = target?.includes('@')
  const actor = given('actor')
  const filter = {
    // E-mail addresses are stored in lower case; client ids are not.
    actor: actor?.includes('@') ? actor.toLowerCase() : actor,
    action: given('action'),
    target,
    since: startOfDay(given('since')),
    until: startOfDay(given('until'), 1)
  }
  const { items, status, more } = usePages<AuditEvent>(trailQuery, { first: 50, ...filter })
  return (
    <>
      <div class="title">
        <h1>Audit trail</h1>
        {items.length > 0 && <ExportTrail filter={filter} />}
      </div>
      <search class="filters">
        <FilterText name="actor" label="Done by: e-mail or client" />
        <FilterText name="target" label="Done to: e-mail, client or id" />
        <FilterSelect
          name="action"
          label="Action"
          choices={[{ name: '', label: 'Any action' }, ...actionChoices]}
        />
        <FilterDate name="since" label="From" />
        <FilterDate name="until" label="Until" />
      </search>
      <p role="status" class="muted">
        {status === 'ready' &&
          items.length === 0 &&
          (isUnknown
            ? 'Nobody has this e-mail address now. If the account was deleted, look for “Deleted an account”.'
            : 'No recorded event matches.')}
      </p>
      {status === 'reading' && items.length === 0 && <Loading />}
      {status === 'failed' && <p class="notice warning">The audit trail could not be read.</p>}
      {items.length > 0 && <Events events={items} />}
      {more && (
        <button type="button" class="button" disabled={status === 'reading'} onClick={more}>
          Show older
        </button>
      )}
    </>
  )
}
