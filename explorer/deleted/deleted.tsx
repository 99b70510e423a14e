import { useState } from 'preact/hooks'
import { mayPublish, mayWrite } from '../api.ts'
import { restorePossible, toProblems } from '../bulk/write.ts'
import { describeAuthor, formatCount, plural } from '../format.ts'
import { forgetList } from '../gallery/gallery.tsx'
import { TemplatePicture } from '../picture/template-picture.tsx'
import { hrefOf } from '../route.ts'
import { Restore } from '../template/restore.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Check } from '../ui/inputs.tsx'
import { ListEnd } from '../ui/reading.tsx'
import { Time } from '../ui/time.tsx'
import { useList } from '../ui/use-read.ts'
import { useTitle } from '../ui/use-title.ts'
import { type Deleted, type ReadPosition, readDeleted } from './read-deleted.ts'
import './deleted.css'

/** The deleted templates, the latest first. */
export function DeletedTemplates() {
  const list = useList(readDeleted, [])
  const { items: found, next: rest, status } = list
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [restored, setRestored] = useState<ReadonlySet<number>>(new Set())
  const finish = (ids: number[]) => {
    forgetList()
    setRestored(new Set([...restored, ...ids]))
    setChosen(chosen.difference(new Set(ids)))
  }
  const open = found.filter(({ id }) => !restored.has(id))
  useTitle('Deleted templates')
  return (
    <>
      <h1>Deleted templates</h1>
      <p class="muted">
        {found.length === 0 && status === 'ready'
          ? rest
            ? 'None of the latest changes deleted a template.'
            : 'No template is deleted.'
          : 'Their revisions are kept, so each can be restored.'}
        {rest && found.length > 0 && ` ${describePart(found.length, rest)}`}
      </p>
      {mayWrite() && (open.length > 1 || chosen.size > 0) && (
        <RestoreChosen open={open} chosen={chosen} onChoose={setChosen} onRestored={finish} />
      )}
      <ul class="stack" aria-busy={status === 'reading'}>
        {found.map(template => (
          <Row
            key={template.id}
            template={template}
            isRestored={restored.has(template.id)}
            isChosen={chosen.has(template.id)}
            onChoose={() => setChosen(chosen.symmetricDifference(new Set([template.id])))}
            onRestored={() => finish([template.id])}
          />
        ))}
      </ul>
      <ListEnd
        of={list}
        problem="The deleted templates could not be read."
        moreLabel={rest && rest.found.length === 0 ? 'Look further back' : 'Show more'}
      />
      <p>
        <a href="#/">All templates</a>
      </p>
    </>
  )
}

/** Says how many are shown. How many there are is known only when the whole feed has been read. */
const describePart = (shown: number, { found, end }: ReadPosition): string =>
  `Shown: ${formatCount(shown)} of ${formatCount(shown + found.length)}${end > 0 ? ' or more' : ''}.`

interface RowProps {
  template: Deleted
  isRestored: boolean
  isChosen: boolean
  onChoose: () => void
  onRestored: () => void
}

function Row({ template, isRestored, isChosen, onChoose, onRestored }: RowProps) {
  const { id, last, name, image, author, message, time } = template
  return (
    <li class="card">
      {mayWrite() && (
        <input
          type="checkbox"
          aria-label={`Choose ${name || `template ${id}`}`}
          checked={isChosen}
          disabled={isRestored}
          onChange={onChoose}
        />
      )}
      <TemplatePicture image={image} name={name} />
      <div>
        <a class="name-link" href={hrefOf(['templates', id])}>
          {name || <em>no name</em>}
        </a>
        <p class="muted">
          {id} · deleted <Time time={time} />
          {author && describeAuthor(author)}
          {message !== null && ` “${message}”`}
        </p>
      </div>
      <span role="status">{isRestored && 'Restored'}</span>
      {mayWrite() && !isRestored && (
        <Restore
          id={id}
          revision={last}
          label={
            <>
              Restore<span class="hidden-visually"> {name}</span>
            </>
          }
          onRestored={onRestored}
        />
      )}
    </li>
  )
}

interface RestoreProps {
  /** The templates that are listed and not restored yet. */
  open: Deleted[]
  chosen: ReadonlySet<number>
  onChoose: (ids: ReadonlySet<number>) => void
  onRestored: (ids: number[]) => void
}

/** Restores the chosen templates, but for those that the service refuses. */
function RestoreChosen({ open, chosen, onChoose, onRestored }: RestoreProps) {
  const all = new Set(open.map(({ id }) => id))
  const restore = async () => {
    const input = open
      .filter(({ id }) => chosen.has(id))
      .map(({ id, last }) => ({ id, revision: last, expectedRevision: last + 1 }))
    const { written, errors } = await restorePossible(input, { bulkChange: crypto.randomUUID() })
    if (written.length > 0) onRestored(written.map(({ id }) => id))
    if (errors.length === 0) return []
    const restored =
      written.length > 0 ? `Restored: ${plural(written.length, 'template')}.` : 'Nothing was restored.'
    return [restored, ...toProblems(errors)]
  }
  const templates = plural(chosen.size, 'template')
  return (
    <div class="choice across">
      <Check checked={chosen.size === all.size} onChange={isAll => onChoose(isAll ? all : new Set())}>
        All {plural(all.size, 'template')} shown here
      </Check>
      <Confirm
        title={`Restore ${templates}?`}
        label={`Restore ${templates}`}
        disabled={chosen.size === 0}
        onConfirm={restore}
      >
        Each gets the contents that it had before its deletion, as a new revision.
        {mayPublish() && ' You can undo this under “Imports and bulk changes”.'}
      </Confirm>
    </div>
  )
}
