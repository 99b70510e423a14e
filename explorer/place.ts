import { signal } from '@preact/signals'
import { metaContent } from './meta.ts'

/** Where the user is: what stands behind `#/` in the address. */
export interface Place {
  path: string[]
  params: URLSearchParams
}

/** Reads the address as it is at this moment: the event that tells of a change comes later. */
export const readPlace = (): Place => {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { path: path.split('/').filter(Boolean).map(decode), params: new URLSearchParams(query) }
}

/** What cannot be decoded, such as a lone `%`, stays as it is. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Reads a 32-bit integer of an address; undefined if the text is anything else, such as empty. */
export function readInteger(text: string | null | undefined): number | undefined {
  const number = /^-?\d{1,10}$/.test(text ?? '') ? Number(text) : Number.NaN
  return (number | 0) === number ? number : undefined
}

export const place = signal(readPlace())
/** Reads the address again. */
export const refreshPlace = (): void => {
  place.value = readPlace()
}
addEventListener('hashchange', refreshPlace)
addEventListener('popstate', refreshPlace)
history.scrollRestoration = 'manual'

/** The page of all places; the IDE is a page of its own. */
const home = metaContent('service') === './' ? '' : metaContent('service')

/** The address of a place, for a link. */
export function hrefOf(path: (string | number)[], params = new URLSearchParams()): string {
  const query = params.toString()
  return `${home}#/${path.map(part => encodeURIComponent(part)).join('/')}${query && `?${query}`}`
}

/** Goes to an address; `replace` leaves no way back to the one before. */
export function go(href: string, { replace = false } = {}): void {
  if (home !== '') location.assign(href)
  else if (replace) history.replaceState(history.state, '', href)
  else history.pushState(null, '', href)
  refreshPlace()
}

/** Changes the address while the user stays where they are, such as during scrolling. */
export const note = (href: string): void => history.replaceState(history.state, '', href)
