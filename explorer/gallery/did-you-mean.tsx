import { useEffect, useState } from 'preact/hooks'
import { hrefOf } from '../route.ts'
import { type Criteria, writeCriteria } from './criteria.ts'
import { readSuggestion } from './suggestion.ts'

/** Suggests another search if the words have a typing error. */
export function DidYouMean({ criteria }: { criteria: Criteria }) {
  const { search } = criteria
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
        Did you mean <a href={hrefOf([], writeCriteria({ ...criteria, search: meant }))}>{meant}</a>?
      </p>
    )
  )
}
