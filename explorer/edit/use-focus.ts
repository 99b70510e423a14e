import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Draft, isTyped } from './draft.ts'
import { listEntries } from './known-traits.ts'
import type { Editing } from './use-editing.ts'

/** The field that the user changed last: the form of the next template begins there. A trait is known by its name. */
let lastField: { name: string } | { trait: unknown } | undefined

/** Remembers the field that the user has changed. */
export function rememberField({ dataset: { field } }: HTMLElement, { data }: Draft): void {
  const [, index] = field?.match(/^\/attributes\/(\d+)\/value$/) ?? []
  if (index !== undefined) lastField = { trait: listEntries(data)[Number(index)]?.trait_type }
  else if (field !== undefined && !field.startsWith('/attributes/')) lastField = { name: field }
}

/** Returns the selector of that field; undefined if the template has none. */
function findLastField({ data }: Draft): string | undefined {
  if (!lastField) return undefined
  if ('name' in lastField) return `[data-field="${lastField.name}"]`
  const { trait } = lastField
  const index = listEntries(data).findIndex(({ trait_type }) => trait_type === trait)
  return index < 0 ? undefined : `.value-of-trait [data-field="/attributes/${index}/value"]`
}

/**
 * Focuses the first field when the form opens, or the one that the user changed last in another template, and the
 * field to correct after a failure. Returns a function that focuses the first wrong field once it is marked.
 */
export function useFocus(
  form: RefObject<HTMLFormElement | null>,
  { draft, problems, failure, isSaving }: Editing,
  isReady: boolean
): () => void {
  const [refusals, setRefusals] = useState(0)
  const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector)
  const focus = (selector: string) => (find(selector) ?? find('[type=submit]'))?.focus()
  useEffect(() => find('.field')?.focus({ preventScroll: true }), [])
  useEffect(() => {
    const last = isReady && draft?.base && !isTyped(draft) ? findLastField(draft) : undefined
    const field = last === undefined ? undefined : find(last)
    // The traits may be read late, when the user is already somewhere else.
    if (!field || document.activeElement !== find('.field')) return
    field.focus({ preventScroll: true })
    field.scrollIntoView({ block: 'center' })
    if (field instanceof HTMLInputElement) field.select()
  }, [isReady])
  useEffect(() => {
    if (!isSaving && failure !== '') focus(problems.length > 0 ? '[aria-invalid=true]' : '[type=submit]')
  }, [isSaving])
  useEffect(() => {
    if (refusals > 0) focus('[aria-invalid=true]')
  }, [refusals])
  return () => setRefusals(refusals + 1)
}
