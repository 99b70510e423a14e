import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { describeFailure } from '../api.ts'
import type { NamedView } from '../feature-parts.ts'
import { type Criteria, writeCriteria } from '../gallery/criteria.ts'
import { openedView } from '../gallery/opened-view.ts'
import { busy, useBusy } from '../parts/use-busy.ts'
import { hrefOf, navigate } from '../route.ts'
import { shownColumns } from './chosen-columns.ts'
import { listViews, mayShareViews, removeView, saveNamedView } from './own-views.ts'
import './views.css'

/** The address of a view. Whoever may see it can open it. */
const hrefOfView = (id: string): string => hrefOf([], new URLSearchParams({ saved: id }))

/** The saved views: to open, to save and to delete. */
export function Views({ criteria }: { criteria: Criteria }) {
  const [views, setViews] = useState<NamedView[]>()
  const [problems, setProblems] = useState<string[]>([])
  const [isBusy, runOnce] = useBusy()
  const run = (work: () => Promise<string[]>) =>
    runOnce(async () => {
      const found = await work().catch((error: unknown) => [describeFailure(error)])
      setProblems(found)
      if (found.length === 0) setViews(await listViews())
    })
  useEffect(() => {
    listViews().then(setViews, error => setProblems([describeFailure(error)]))
  }, [])
  const save = async (values: Pick<NamedView, 'name' | 'shared'> & { id?: string }) => {
    const saved = await saveNamedView({
      ...values,
      query: writeCriteria({ ...criteria, view: undefined, saved: undefined }).toString(),
      columns: shownColumns.value.slice(1).map(({ key }) => key)
    })
    if ('problems' in saved) return saved.problems
    openedView.value = saved
    navigate(hrefOf([], writeCriteria({ ...criteria, view: 'table', saved: saved.id })), { replace: true })
    return []
  }
  const remove = async (id: string) => {
    const found = await removeView(id)
    if (found.length === 0 && id === criteria.saved)
      navigate(hrefOf([], writeCriteria({ ...criteria, saved: undefined })), { replace: true })
    return found
  }
  const opened = openedView.value
  return (
    <div class="view-list">
      {opened && (
        <p>
          <strong>{opened.name}</strong>{' '}
          <a href={hrefOf([], new URLSearchParams({ view: 'table' }))}>Leave</a>
        </p>
      )}
      {opened?.mayChange && (
        <button type="button" class="button" {...busy(isBusy)} onClick={() => run(() => save(opened))}>
          Save as it is now
        </button>
      )}
      <List
        title="For all"
        views={views?.filter(({ shared }) => shared)}
        onRemove={id => run(() => remove(id))}
      />
      <List
        title="Yours"
        views={views?.filter(({ shared }) => !shared)}
        onRemove={id => run(() => remove(id))}
      />
      <NewView key={opened?.id} isBusy={isBusy} onSave={values => run(() => save(values))} />
      {problems.length > 0 && (
        <p class="problem" role="alert">
          {problems.join(' ')}
        </p>
      )}
    </div>
  )
}

interface ListProps {
  title: string
  views: NamedView[] | undefined
  onRemove: (id: string) => void
}

function List({ title, views = [], onRemove }: ListProps) {
  if (views.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {views.map(({ id, name, mayChange }) => (
          <li key={id}>
            <a href={hrefOfView(id)} aria-current={id === openedView.value?.id ? 'page' : undefined}>
              {name}
            </a>
            {mayChange && (
              <button
                type="button"
                class="button plain"
                aria-label={`Delete ${name}`}
                onClick={() => onRemove(id)}
              >
                Delete
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface NewProps {
  isBusy: boolean
  onSave: (values: { name: string; shared: boolean }) => void
}

/** The form that saves filter, order and columns by a name. */
function NewView({ isBusy, onSave }: NewProps) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (name.trim() !== '') onSave({ name: name.trim(), shared })
  }
  return (
    <form onSubmit={submit}>
      <input
        class="field"
        aria-label="Name of the view"
        placeholder="Save filter, order, columns as…"
        required
        maxLength={60}
        value={name}
        onInput={event => setName(event.currentTarget.value)}
      />
      {mayShareViews() && (
        <label class="check">
          <input type="checkbox" checked={shared} onChange={() => setShared(!shared)} />
          For all
        </label>
      )}
      <button type="submit" class="button" {...busy(isBusy)}>
        Save view
      </button>
    </form>
  )
}
