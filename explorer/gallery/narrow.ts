import { signal } from '@preact/signals'

const query = matchMedia('(max-width: 820px)')

/** Whether the screen is too narrow for filters beside the gallery. */
export const isNarrow = signal(query.matches)

query.addEventListener('change', () => {
  isNarrow.value = query.matches
})
