import { adminPage, importPage } from '../additions.ts'
import { logIn, role, service } from '../api.ts'
import { plural } from '../format.ts'
import { total } from '../gallery/items.ts'
import { focusList } from '../gallery/scrolling.ts'
import { metaContent } from '../meta.ts'
import { loginEnded, outageSince, tryNow } from '../requests.ts'
import { hrefOf, route } from '../route.ts'
import { Account } from './account.tsx'
import { Button } from './button.tsx'
import { Links, type NamedLink } from './links.tsx'
import { Search } from './search.tsx'
import './header.css'

export function Header() {
  const [page = 'templates'] = isIde ? ['graphql'] : route.value.path
  const links: NamedLink[] = [
    ['templates', 'Templates', hrefOf([])],
    ['graphql', 'GraphQL', new URL('explorer/graphql', service).href]
  ]
  if (importPage) links.push(['import', 'Import', hrefOf(['import'])])
  if (adminPage && role.value === 'admin') links.push(['admin', 'People', hrefOf(['admin'])])
  return (
    <header class="header">
      <a class="mark" href={hrefOf([])} aria-label="product-templates, all templates">
        <img src={mark} alt="" />
        <span>product-templates</span>
      </a>
      <Search
        label={total.value === undefined ? 'Search templates' : `Search ${plural(total.value, 'template')}`}
      />
      <nav aria-label="Main">
        <Links links={links} current={page} />
        <Account />
      </nav>
    </header>
  )
}

/** The IDE is a separate HTML page. */
const isIde = metaContent('service') !== './'

const mark = new URL('../mark.svg', import.meta.url).href

/** The first keyboard focus on every page: skips the header and the filters. */
export const Skip = () => (
  <Button look="skip" onClick={() => focusList() || document.querySelector<HTMLElement>('main')?.focus()}>
    Skip to the {route.value.path.length === 0 && !isIde ? 'templates' : 'content'}
  </Button>
)

/** Tells the user that the service does not answer or that the login has ended. */
export function Status() {
  return (
    <div class="status" role="status">
      {outageSince.value && (
        <p class="notice warning">
          The service has not answered since {outageSince.value.toLocaleTimeString()}. The page shows what it
          had, and tries again by itself. <Button onClick={tryNow}>Try now</Button>
        </p>
      )}
      {loginEnded.value && (
        <p class="notice warning">
          Your login has ended. What you typed is kept. <Button onClick={() => logIn()}>Log in again</Button>
        </p>
      )}
    </div>
  )
}
