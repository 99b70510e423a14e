import { FilterDate, FilterSelect, FilterText, startOfDay } from '../../../../explorer/admin/filters.tsx'
import { usePages } from '../../../../explorer/admin/use-pages.ts'
import { readField } from '../../../../explorer/requests.ts'
import { route } from '../../../../explorer/route.ts'
import { ListEnd } from '../../../../explorer/ui/reading.tsx'
import { useRead } from '../../../../explorer/ui/use-read.ts'
import type { AuditEvent, User } from '../../../../packages/client/schema.ts'
import { actionChoices } from './describe-event.ts'
import { Events, groupAlike, trailQuery } from './events.tsx'
import { ExportTrail } from './export-trail.tsx'

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
  const folds = filter.action === undefined
  const list = usePages<AuditEvent>(
    trailQuery,
    { first: 100, ...filter },
    events => folds && groupAlike(events).length === 1
  )
  const { items, status } = list
  return (
    <>
      <div class="title across">
        <h1>Audit trail</h1>
        {items.length > 0 && <ExportTrail filter={filter} />}
      </div>
      <search class="filters">
        <FilterText name="actor" label="By: e-mail or client" />
        <FilterText name="target" label="About: e-mail or id" />
        <FilterSelect name="action" label="Action" choices={[['', 'Any action'], ...actionChoices]} />
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
      {items.length > 0 && <Events events={items} folds={folds} />}
      <ListEnd of={list} problem="The audit trail could not be read." moreLabel="Show older" />
    </>
  )
}

type Named = Pick<User, 'id' | 'email'>

/** Returns the target's id. The audit trail stores user ids, but administrators search by e-mail address. */
function useTarget(given: string | undefined): string | undefined {
  const email = given?.includes('@') ? given.toLowerCase() : undefined
  const { data: known } = useRead(stop => (email === undefined ? undefined : findUser(email, stop)), [email])
  return known && known.email === email ? known.id : given
}

const namedQuery =
  'query Named($search: String) { users(first: 100, search: $search) { nodes { id email } } }'

async function findUser(email: string, stop: AbortSignal): Promise<Named | undefined> {
  const { nodes } = await readField<{ nodes: Named[] }>(namedQuery, { search: email }, stop)
  return nodes.find(user => user.email === email)
}
