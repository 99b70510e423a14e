import { role, service } from '../api.ts'
import { importPage } from '../feature-parts.ts'
import { plural } from '../format.ts'
import { total } from '../gallery/items.ts'
import { metaContent } from '../meta.ts'
import { hrefOf, route } from '../route.ts'
import { Account } from './account.tsx'
import './header.css'
import { Search } from './search.tsx'

export function Header() {
  const [page = 'templates'] = isIde ? ['graphql'] : route.value.path
  const current = (name: string) => (page === name ? { 'aria-current': 'page' as const } : {})
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
        <a href={hrefOf([])} {...current('templates')}>
          Templates
        </a>
        <a href={new URL('explorer/graphql', service).href} {...current('graphql')}>
          GraphQL
        </a>
        {importPage && (
          <a href={hrefOf(['import'])} {...current('import')}>
            Import
          </a>
        )}
        {role.value === 'admin' && (
          <a href={hrefOf(['admin'])} {...current('admin')}>
            People
          </a>
        )}
        <Account />
      </nav>
    </header>
  )
}

/** The IDE is a separate HTML page. */
const isIde = metaContent('service') !== './'

const mark = new URL('../mark.svg', import.meta.url).href
