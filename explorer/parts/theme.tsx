import { signal } from '@preact/signals'
import { service } from '../api.ts'
import { Segments } from './segments.tsx'

const meta = document.querySelector<HTMLMetaElement>('meta[name=color-scheme]')

/** The value of the meta element, and the label. */
const themes = { 'light dark': 'System', light: 'Light', dark: 'Dark' }
type Theme = keyof typeof themes

const theme = signal((meta?.content ?? 'light dark') as Theme)

/** A year. */
const maxAgeSeconds = 31_536_000

/** Applies a theme. The service reads the cookie, so that the next page begins with the right colours. */
function choose(next: Theme): void {
  theme.value = next
  if (meta) meta.content = next
  const age = next === 'light dark' ? 0 : maxAgeSeconds
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https
  document.cookie = `product_theme=${next}; Path=${service.pathname}; Max-Age=${age}; SameSite=Lax`
  dispatchEvent(new Event('themechange'))
}

/** The choice of the colours. */
export const ThemeSwitch = () => (
  <Segments
    label="Colours"
    chosen={theme.value}
    choices={Object.entries(themes).map(([value, content]) => ({ value: value as Theme, content }))}
    onChoose={choose}
  />
)
