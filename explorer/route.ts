import { signal } from '@preact/signals'
import { metaContent } from './meta.ts'

/** The route: the part of the address after `#/`. */
interface Route {
  path: string[]
  params: URLSearchParams
}

/** Reads the current address. It is newer than `route` until the event of a change fires. */
export const readRoute = (): Route => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { path: path.split('/').filter(Boolean).map(decode), params: new URLSearchParams(query) }
}

/** Keeps a part that cannot be decoded, such as a lone `%`. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Reads a 32-bit integer from an address; undefined for any other text, such as an empty one. */
export function readInteger(text: string | null | undefined): number | undefined {
  const number = /^-?\d{1,10}$/.test(text ?? '') ? Number(text) : Number.NaN
  return (number | 0) === number ? number : undefined
}

export const route = signal(readRoute())
export const refreshRoute = (): void => {
  route.value = readRoute()
}
addEventListener('hashchange', refreshRoute)
addEventListener('popstate', refreshRoute)
history.scrollRestoration = 'manual'

/** The address of the explorer's page; empty on that page itself. The IDE is a separate page. */
const explorerPage = metaContent('service') === './' ? '' : metaContent('service')

/** Returns the address of a route, for a link. */
export function hrefOf(path: (string | number)[], params = new URLSearchParams()): string {
  const query = params.toString()
  return `${explorerPage}#/${path.map(part => encodeURIComponent(part)).join('/')}${query && `?${query}`}`
}

/** Navigates to an address; `replace` leaves no way back to the previous address. */
export function navigate(href: string, { replace = false } = {}): void {
  if (explorerPage !== '') location.assign(href)
  else if (replace) history.replaceState(history.state, '', href)
  else history.pushState(null, '', href)
  refreshRoute()
}

/** Updates the address without a navigation, such as during scrolling. */
export const replaceAddress = (href: string): void => history.replaceState(history.state, '', href)
