import { useEffect } from 'preact/hooks'
import { access, readAccess } from '../../../explorer/admin/access.ts'
import { logIn } from '../../../explorer/api.ts'
import { hrefOf, route } from '../../../explorer/route.ts'
import { Button } from '../../../explorer/ui/button.tsx'
import { Links } from '../../../explorer/ui/links.tsx'
import { Failure, Loading } from '../../../explorer/ui/reading.tsx'
import { useRead } from '../../../explorer/ui/use-read.ts'
import { useTitle } from '../../../explorer/ui/use-title.ts'
import './admin.css'
import { additions } from '../../../explorer/admin/additions.ts'
import { SecretDialog } from '../../../explorer/admin/secret-dialog.tsx'
import { Client } from './clients/client.tsx'
import { Clients } from './clients/clients.tsx'
import { People } from './people/people.tsx'
import { Person } from './people/person.tsx'
import { Trail } from './trail/trail.tsx'

const tabsOfFeatures = additions.flatMap(({ tab }) => tab ?? [])

const tabs = [
  { name: 'people', label: 'People' },
  { name: 'clients', label: 'Clients' },
  ...tabsOfFeatures,
  { name: 'trail', label: 'Audit trail' }
]

/** The pages for administrators. Everybody else reads why they are closed. */
export function Admin() {
  const { hasFailed, reread } = useRead(readAccess, [])
  useEffect(
    () => () => {
      access.value = undefined
    },
    []
  )
  if (hasFailed) return <Failure problem="Your rights could not be read." onRetry={reread} />
  if (access.value === undefined) return <Loading />
  return access.value === 'granted' ? <AdminPages /> : <NoAccess isStale={access.value === 'stale'} />
}

function AdminPages() {
  const { path } = route.value
  const [, tab = 'people', id] = path
  const { label = '' } = tabs.find(({ name }) => name === tab) ?? {}
  useTitle(label, [tab, id])
  useEffect(() => {
    // On a phone, not all tabs fit.
    document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    // Announces the new page to screen readers. `App` announces the tabs.
    if (id !== undefined) document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
  }, [tab, id])
  return (
    <>
      <nav class="tabs" aria-label="Administration">
        <Links links={tabs.map(({ name, label }) => [name, label, hrefOf(['admin', name])])} current={tab} />
      </nav>
      <Tab name={tab} id={id} />
      <SecretDialog />
    </>
  )
}

function Tab({ name, id }: { name: string; id: string | undefined }) {
  if (name === 'people') return id === undefined ? <People /> : <Person key={id} id={id} />
  if (name === 'clients') return id === undefined ? <Clients /> : <Client key={id} id={id} />
  if (name === 'trail') return <Trail />
  const { Page } = tabsOfFeatures.find(tab => tab.name === name) ?? {}
  if (Page) return <Page />
  return (
    <p class="muted">
      There is no such page. <a href={hrefOf(['admin'])}>People</a>
    </p>
  )
}

function NoAccess({ isStale }: { isStale: boolean }) {
  useTitle('Administration')
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
        You are an administrator, but this page got its access token before you were one. It gets the next one
        later by itself, or now if you log in again.
      </p>
      <Button look="primary" onClick={() => logIn()}>
        Log in again
      </Button>
    </>
  )
}
