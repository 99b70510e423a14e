import { useEffect } from 'preact/hooks'
import { logIn } from '../api.ts'
import { hrefOf, place } from '../place.ts'
import { access, readAccess } from './access.ts'
import './admin.css'
import { Client } from './clients/client.tsx'
import { Clients } from './clients/clients.tsx'
import { Once } from './once.tsx'
import { People } from './people/people.tsx'
import { Person } from './people/person.tsx'
import { Providers } from './providers.tsx'
import { Trail } from './trail/trail.tsx'

const tabs = [
  { name: 'people', label: 'People' },
  { name: 'clients', label: 'Clients' },
  { name: 'providers', label: 'Providers' },
  { name: 'trail', label: 'Audit trail' }
]

/** The pages for administrators. Everybody else reads why they are closed. */
export function Admin() {
  useEffect(() => {
    readAccess().catch(() => {})
    return () => {
      access.value = undefined
    }
  }, [])
  if (access.value === undefined) return null
  return access.value === 'granted' ? <Granted /> : <NoAccess isStale={access.value === 'stale'} />
}

function Granted() {
  const { path } = place.value
  const [, room = 'people', id] = path
  const { label = '' } = tabs.find(({ name }) => name === room) ?? {}
  useEffect(() => {
    document.title = `${label} · Templates`
    // Announces the new page to screen readers. `App` announces the tabs.
    if (id !== undefined) document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
  }, [room, id])
  return (
    <>
      <nav class="tabs" aria-label="Administration">
        {tabs.map(({ name, label }) => (
          <a
            key={name}
            href={hrefOf(['admin', name])}
            {...(name === room && { 'aria-current': 'page' as const })}
          >
            {label}
          </a>
        ))}
      </nav>
      <Tab room={room} id={id} />
      <Once />
    </>
  )
}

function Tab({ room, id }: { room: string; id: string | undefined }) {
  if (room === 'people') return id === undefined ? <People /> : <Person key={id} id={id} />
  if (room === 'clients') return id === undefined ? <Clients /> : <Client key={id} id={id} />
  if (room === 'providers') return <Providers />
  if (room === 'trail') return <Trail />
  return (
    <p class="muted">
      There is no such page. <a href={hrefOf(['admin'])}>People</a>
    </p>
  )
}

function NoAccess({ isStale }: { isStale: boolean }) {
  useEffect(() => {
    document.title = 'Administration · Templates'
  }, [])
  if (!isStale)
    return (
      <>
        <h1>Only for administrators</h1>
        <p class="muted">
          Your role does not let you manage people and clients. An administrator can change it.
        </p>
        <p>
          <a href={hrefOf([])}>All templates</a>
        </p>
      </>
    )
  return (
    <>
      <h1>Log in again</h1>
      <p class="muted">
        You are an administrator, but this login began before you were one, so it may not manage people and
        clients.
      </p>
      <button type="button" class="button primary" onClick={() => logIn()}>
        Log in again
      </button>
    </>
  )
}
