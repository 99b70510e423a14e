import { useEffect, useRef, useState } from 'preact/hooks'
import { isTrait } from '../../domain/document.ts'
import { isObject, parseObject } from '../../runtime/json-values.ts'
import type { TraitFacet } from '../filters/counts.ts'
import { keepFocus } from '../numbers/read-input.tsx'
import { Button } from '../ui/button.tsx'
import type { Draft } from './draft.ts'
import { findForm } from './known-traits.ts'
import { fieldOf, type Problem } from './problem.ts'
import { type Schema, traitNames } from './schema.ts'
import { changeText } from './text-edit.ts'
import { TraitRow } from './trait-row.tsx'

interface Props {
  draft: Draft
  schema: Schema
  /** The traits of all templates. */
  facets: TraitFacet[]
  problems: Problem[]
  onWrite: (data: string) => void
  onRemoveTrait: (index: number) => void
}

/** The traits of a document. An added trait gets the focus; after a removal, the next one has it. */
export function TraitList({ draft, schema, facets, problems, onWrite, onRemoveTrait }: Props) {
  const { data } = draft
  const attributes = parseObject(data)?.attributes
  const traits = Array.isArray(attributes) ? attributes : []
  const keys = useKeys(traits.length)
  const { section, focusTrait } = useTraitFocus()
  const add = () => {
    const trait = { trait_type: '', value: '' }
    onWrite(
      Array.isArray(attributes)
        ? changeText(data, ['attributes', traits.length], trait, true)
        : changeText(data, ['attributes'], [trait])
    )
    focusTrait(traits.length)
  }
  const remove = (index: number) => {
    keys.splice(index, 1)
    onRemoveTrait(index)
    onWrite(changeText(data, ['attributes', index], undefined))
    focusTrait(index)
  }
  return (
    <section ref={section} aria-label="Traits">
      <h2 class="section-title">Traits</h2>
      <div class="stack">
        {traits.map((trait, index) => (
          <TraitRow
            key={keys[index]}
            index={index}
            trait={trait}
            form={isTrait(trait) ? findForm(facets, trait.trait_type) : undefined}
            problems={problems.filter(problem => fieldOf(problem).startsWith(`/attributes/${index}/`))}
            onChange={(key, value) => onWrite(changeTrait(data, index, trait, key, value))}
            onRemove={() => remove(index)}
          />
        ))}
        <Button look="add-trait" {...keepFocus} onClick={add}>
          Add a trait
        </Button>
      </div>
      <datalist id="trait-names">
        {[...new Set([...facets.map(({ type }) => type), ...traitNames(schema)])].map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </section>
  )
}

/** Returns a function that focuses the name of a trait once it is there, or else the button that adds one. */
function useTraitFocus() {
  const section = useRef<HTMLElement>(null)
  const [next, setNext] = useState<{ index: number }>()
  useEffect(() => {
    if (!next) return
    const find = (selector: string) => section.current?.querySelector<HTMLElement>(selector)
    const field = find(`[data-field="/attributes/${next.index}/trait_type"]`) ?? find('.add-trait')
    field?.focus()
  }, [next])
  return { section, focusTrait: (index: number) => setNext({ index }) }
}

let lastKey = 0

/** Returns a key for each trait, so that its fields move up with it if a trait before it is removed. */
function useKeys(length: number): number[] {
  const keys = useRef<number[]>([]).current
  while (keys.length < length) keys.push(++lastKey)
  return keys
}

/** Edits a trait. Replaces an entry that is not an object with an object. */
const changeTrait = (data: string, index: number, trait: unknown, key: string, value: unknown): string =>
  isObject(trait)
    ? changeText(data, ['attributes', index, key], value)
    : changeText(data, ['attributes', index], { [key]: value })
