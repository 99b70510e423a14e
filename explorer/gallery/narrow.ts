import { signal } from '@preact/signals'

const query = matchMedia('(max-width: 820px)')

/** Whether there is no room for the filters beside the gallery. */
export const isNarrow = signal(query.matches)

query.addEventListener('change', () => {
  isNarrow.value = query.matches
})
