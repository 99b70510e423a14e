import { useEffect, useState } from 'preact/hooks'
import { hrefOf } from '../place.ts'
import { readSuggestion } from './suggestion.ts'
import { type Wanted, writeWanted } from './wanted.ts'

/** Suggests another search if the words have a typing error. */
export function DidYouMean({ wanted }: { wanted: Wanted }) {
  const { search } = wanted
  const [meant, setMeant] = useState<string>()
  useEffect(() => {
    setMeant(undefined)
    if (search.trim() === '') return undefined
    const stop = new AbortController()
    readSuggestion(search, stop.signal)
      .then(suggestion => setMeant(suggestion ?? undefined))
      .catch(() => {})
    return () => stop.abort()
  }, [search])
  return (
    meant !== undefined && (
      <p>
        Did you mean <a href={hrefOf([], writeWanted({ ...wanted, search: meant }))}>{meant}</a>?
      </p>
    )
  )
}
