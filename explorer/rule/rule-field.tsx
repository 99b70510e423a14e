import type { ComponentChildren, TargetedSubmitEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { readCounts } from '../filters/counts.ts'
import { Body as Filters } from '../filters/facets.tsx'
import { receiveCriteria } from '../filters/show-criteria.ts'
import { formatCount, plural } from '../format.ts'
import { type Criteria, readCriteria, toWhere } from '../gallery/criteria.ts'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { read } from '../requests.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useRead } from '../ui/use-read.ts'
import { parseRule } from './format.ts'
import { listLabels, toCriteria } from './rule-criteria.ts'
import './rule.css'

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
    <fieldset class="rule-field stack">
      <legend class="label">{title}</legend>
      <p class="across">
        {labels === undefined && 'A filter that was written by hand.'}
        {labels?.length === 0 && 'All templates.'}
        {labels?.map(label => (
          <span key={label} class="pill">
            {label}
          </span>
        ))}
      </p>
      {'where' in read && <SeenTemplates label={seeLabel} where={read.where} />}
      <Button onClick={() => setOpen(true)}>Choose with filters…</Button>
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
  const [criteria, setCriteria] = useState(first)
  // After a failure, the filters stay as they are.
  const { data: counts } = useRead(stop => readCounts(criteria, stop), [criteria])
  useEffect(() => {
    receiveCriteria(setCriteria)
    return () => receiveCriteria()
  }, [])
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    // The dialog may be within a form, and has dialogs with forms.
    event.stopPropagation()
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    onChoose(criteria)
    onClose()
  }
  return (
    <Dialog title={title} class="filter-dialog" onClose={onClose}>
      <form onSubmit={submit} onKeyDown={applyOnEnter}>
        <div class="columns">
          <div class="facets">{counts && <Filters criteria={criteria} counts={counts} />}</div>
          <SeenTemplates label={seeLabel} where={toWhere(criteria) ?? {}} isOpen />
        </div>
        <div class="buttons">
          <Button type="submit" look="primary">
            Use these filters
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}

const shown = 12

const query = `query Seen($where: ProductTemplateFilter) {
  seen: products(first: ${shown}, where: $where) { totalCount nodes { id name document { image } } }
  all: products(first: 1) { totalCount } }`

interface Answer {
  seen: {
    totalCount: number
    nodes: { id: number; name: string; document: { image: string | null } | null }[]
  }
  all: { totalCount: number }
}

interface SeenProps {
  label: string
  where: object
  isOpen?: boolean
}

/** What a filter matches: the number of templates, and the latest of them. A preview, with the rights of who looks. */
function SeenTemplates({ label, where, isOpen = false }: SeenProps) {
  const { data, hasFailed } = useRead(stop => read<Answer>(query, { where }, stop), [JSON.stringify(where)])
  if (hasFailed) return <p class="notice warning">The service does not understand this filter.</p>
  if (!data) return null
  const { seen, all } = data
  const count = `${formatCount(seen.totalCount)} of ${plural(all.totalCount, 'template')}`
  return (
    <details class="seen" open={isOpen}>
      <summary>
        {label}: <span role="status">{count}</span>
      </summary>
      <ul aria-label="The latest of them">
        {seen.nodes.map(({ id, name, document }) => (
          <li key={id}>
            <TemplatePicture image={document?.image} name={name} />
            <span>{name || `Template ${id}`}</span>
          </li>
        ))}
      </ul>
      {seen.totalCount > seen.nodes.length && (
        <p class="muted">And {formatCount(seen.totalCount - seen.nodes.length)} more.</p>
      )}
    </details>
  )
}
