import { useRef, useState } from 'preact/hooks'
import '../parts/dialog.css'
import { humanName } from '../format.ts'
import { type Criteria, toWhere } from '../gallery/criteria.ts'
import { readTraits, type TraitFacet } from './counts.ts'
import { Facet, type FacetValue } from './facet.tsx'

/** The service's maximum number of values per trait. */
const longList = 100

interface Given {
  type: string
  criteria: Criteria
  toValues: (facet: TraitFacet) => FacetValue[]
}

/** More values of a trait, in a list with a search. */
export function MoreValues({ type, criteria, toValues }: Given) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [facet, setFacet] = useState<TraitFacet>()
  const [search, setSearch] = useState('')
  const open = async () => {
    dialog.current?.showModal()
    const [found] = await readTraits(toWhere(criteria, `trait ${type}`), { types: [type], first: longList })
    setFacet(found)
  }
  const values = facet ? toValues(facet) : []
  const found = values.filter(({ text }) => text.toLowerCase().includes(search.toLowerCase()))
  const title = humanName(type)
  return (
    <>
      <button type="button" class="button plain more" onClick={open}>
        More<span class="hidden-visually"> values of {title}</span>
      </button>
      <dialog ref={dialog} class="dialog" aria-label={title}>
        <input
          class="field"
          type="search"
          aria-label={`Search the values of ${title}`}
          placeholder="Search"
          value={search}
          onInput={event => setSearch(event.currentTarget.value)}
        />
        <div class="long-list">
          <Facet title={`${title}, the ${found.length} most frequent`} open values={found} />
        </div>
        <form method="dialog">
          <button type="submit" class="button">
            Close
          </button>
        </form>
      </dialog>
    </>
  )
}
