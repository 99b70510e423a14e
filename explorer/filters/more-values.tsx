import { useRef, useState } from 'preact/hooks'
import '../parts/dialog.css'
import { toWhere, type Wanted } from '../gallery/wanted.ts'
import { humanName } from '../words.ts'
import { readTraits, type TraitFacet } from './counts.ts'
import { Facet, type FacetValue } from './facet.tsx'

/** The service's maximum number of values per trait. */
const longList = 100

interface Given {
  type: string
  wanted: Wanted
  toValues: (facet: TraitFacet) => FacetValue[]
}

/** More values of a trait, in a list with a search. */
export function MoreValues({ type, wanted, toValues }: Given) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [facet, setFacet] = useState<TraitFacet>()
  const [words, setWords] = useState('')
  const open = async () => {
    dialog.current?.showModal()
    const [found] = await readTraits(toWhere(wanted, `trait ${type}`), { types: [type], first: longList })
    setFacet(found)
  }
  const values = facet ? toValues(facet) : []
  const found = values.filter(({ text }) => text.toLowerCase().includes(words.toLowerCase()))
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
          value={words}
          onInput={event => setWords(event.currentTarget.value)}
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
