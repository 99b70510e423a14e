import { focusList } from '../gallery/scrolling.ts'
import { hrefOf, navigate, route } from '../route.ts'
import { useTyping } from './use-typing.ts'

/** The search field. It searches while the user types. */
export function Search({ label }: { label: string }) {
  const { path, params } = route.value
  const isGallery = path.length === 0
  const given = isGallery ? (params.get('q') ?? '') : ''
  const [text, type] = useTyping(given, text => {
    const next = new URLSearchParams(isGallery ? params : '')
    next.delete('from')
    if (text === '') next.delete('q')
    else next.set('q', text)
    // Each search adds one entry to the browser history, not each letter.
    navigate(hrefOf([], next), { replace: isGallery && given !== '' })
  })
  return (
    <search class="search">
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        aria-hidden="true"
      >
        <circle cx="6.5" cy="6.5" r="4.5" />
        <path d="m10 10 4 4" stroke-linecap="round" />
      </svg>
      <input
        id="search"
        class="field"
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={1000}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={event => type(event.currentTarget.value)}
        onKeyDown={event => {
          // The keys of an input method choose among its words.
          if (event.isComposing || event.keyCode === 229) return
          if (event.key === 'Enter') openOnly()
          else if (event.key === 'ArrowDown') focusList()
        }}
      />
      <kbd>/</kbd>
    </search>
  )
}

/** Opens the exact match of the search, if there is only one. */
function openOnly(): void {
  const [hit, ...others] = document.querySelectorAll<HTMLAnchorElement>('.exact a')
  if (hit && others.length === 0) hit.click()
}
