import type { ComponentChildren, TargetedSubmitEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type Counts, readCounts } from '../../filters/counts.ts'
import { Body as Filters } from '../../filters/facets.tsx'
import { receiveCriteria } from '../../filters/show-criteria.ts'
import { type Criteria, readCriteria, toWhere } from '../../gallery/criteria.ts'
import { parseRule } from './format.ts'
import './rule.css'
import { listLabels, toCriteria } from './rule-criteria.ts'
import { SeenTemplates } from './seen-templates.tsx'

interface Props {
  /** Which templates they are: the title. */
  title: string
  /** What opens the preview. */
  seeLabel: string
  /** As JSON; empty for all templates. */
  rule: string
  onChange: (rule: string) => void
  /** The field for the JSON. */
  children: ComponentChildren
}

/**
 * A filter, such as the rule of a person: in words, chosen as beside the gallery, or typed as JSON, and what matches.
 */
export function RuleField({ title, seeLabel, rule, onChange, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const criteria = toCriteria(rule)
  const labels = listLabels(rule)
  const [isByHand] = useState(labels === undefined)
  const read = parseRule(rule)
  return (
    <fieldset class="rule-field">
      <legend class="label">{title}</legend>
      <p>
        {labels === undefined && 'Those of a filter that was written by hand.'}
        {labels?.length === 0 && 'All templates.'}
        {labels?.map(label => (
          <span key={label} class="pill">
            {label}
          </span>
        ))}
      </p>
      {'where' in read && <SeenTemplates label={seeLabel} where={read.where} />}
      <button type="button" class="button" onClick={() => setOpen(true)}>
        Choose with filters…
      </button>
      {isOpen && (
        <FilterDialog
          title={title}
          seeLabel={seeLabel}
          first={criteria ?? readCriteria(new URLSearchParams())}
          onClose={() => setOpen(false)}
          onChoose={chosen => {
            const where = toWhere(chosen)
            onChange(where ? JSON.stringify(where, null, 2) : '')
          }}
        />
      )}
      <details open={isByHand}>
        <summary>As JSON</summary>
        {children}
      </details>
    </fieldset>
  )
}

/** Enter in a field applies its filter, as beside the gallery. It does not choose all filters and close the dialog. */
function applyOnEnter(event: KeyboardEvent): void {
  const field = event.target
  if (event.key !== 'Enter' || !(field instanceof HTMLInputElement)) return
  event.preventDefault()
  field.blur()
  field.focus()
}

interface DialogProps extends Pick<Props, 'title' | 'seeLabel'> {
  first: Criteria
  onChoose: (criteria: Criteria) => void
  onClose: () => void
}

/** The filters of the gallery, with what matches. */
function FilterDialog({ title, seeLabel, first, onChoose, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [criteria, setCriteria] = useState(first)
  const [counts, setCounts] = useState<Counts>()
  useEffect(() => {
    receiveCriteria(setCriteria)
    dialog.current?.showModal()
    return () => receiveCriteria()
  }, [])
  useEffect(() => {
    const stop = new AbortController()
    readCounts(criteria, stop.signal)
      .then(setCounts)
      // The filters stay as they are.
      .catch(() => {})
    return () => stop.abort()
  }, [criteria])
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    // The dialog may be within a form, and has dialogs with forms.
    event.stopPropagation()
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    onChoose(criteria)
    dialog.current?.close()
  }
  return (
    <dialog ref={dialog} class="dialog filter-dialog" aria-labelledby={id} onClose={onClose}>
      <form onSubmit={submit} onKeyDown={applyOnEnter}>
        <h1 id={id}>{title}</h1>
        <div class="columns">
          <div class="facets">{counts && <Filters criteria={criteria} counts={counts} />}</div>
          <SeenTemplates label={seeLabel} where={toWhere(criteria) ?? {}} isOpen />
        </div>
        <div class="buttons">
          <button type="submit" class="button primary">
            Use these filters
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}
