import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { NamedView } from '../additions.ts'
import { describeFailure, mayPublish } from '../api.ts'
import { type Criteria, writeCriteria } from '../gallery/criteria.ts'
import { openedView } from '../gallery/table-module.ts'
import { hrefOf, navigate } from '../route.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Problems } from '../ui/dialog.tsx'
import { Check, TextInput } from '../ui/inputs.tsx'
import { Reading } from '../ui/reading.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { useRead } from '../ui/use-read.ts'
import { shownColumns } from './chosen-columns.ts'
import { chooseForEverybody, listViews, mayShareViews, removeView, saveNamedView } from './own-views.ts'
import './views.css'

/** The address of a view. Whoever may see it can open it. */
const hrefOfView = (id: string): string => hrefOf([], new URLSearchParams({ saved: id }))

/** The saved views: to open, to save and to delete. */
export function Views({ criteria }: { criteria: Criteria }) {
  const reading = useRead(listViews, [])
  const { data: views, reread } = reading
  const [problems, setProblems] = useState<string[]>([])
  const [isBusy, runOnce] = useBusy()
  /** Runs an action and lists the views again. Returns the problems. */
  const act = async (work: Promise<string[]>): Promise<string[]> => {
    const found = await work
    if (found.length === 0) await reread()
    return found
  }
  /** The same, once at a time. Shows the problems. */
  const attempt = (job: () => Promise<string[]>) =>
    runOnce(async () => setProblems(await act(job()).catch((error: unknown) => [describeFailure(error)])))
  const save = async (values: Pick<NamedView, 'name' | 'shared'> & { id?: string }) => {
    const saved = await saveNamedView({
      ...values,
      query: writeCriteria({ ...criteria, layout: undefined, saved: undefined }).toString(),
      columns: shownColumns.value.slice(1).map(({ key }) => key)
    })
    if ('problems' in saved) return saved.problems
    openedView.value = saved
    navigate(hrefOf([], writeCriteria({ ...criteria, layout: 'table', saved: saved.id })), { replace: true })
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
    <div class="view-list stack">
      {opened && (
        <p>
          <strong>{opened.name}</strong>{' '}
          <a href={hrefOf([], new URLSearchParams({ layout: 'table' }))}>Leave</a>
        </p>
      )}
      {opened?.mayChange && (
        <Confirm
          title={`Change “${opened.name}” for everybody?`}
          label="Save as it is now"
          confirmLabel="Change for everybody"
          isNeeded={() => opened.shared}
          onConfirm={() => act(save(opened))}
        >
          The view may be somebody else’s. Whoever opens it gets the filter, order and columns that you see
          now.
        </Confirm>
      )}
      <List
        title="Shared"
        views={views?.filter(({ shared }) => shared)}
        onRemove={id => act(remove(id))}
        {...(mayPublish() && { onChooseDefault: id => attempt(() => chooseForEverybody(id)) })}
      />
      <List title="Yours" views={views?.filter(({ shared }) => !shared)} onRemove={id => act(remove(id))} />
      <NewView opened={opened?.id} isBusy={isBusy} onSave={values => attempt(() => save(values))} />
      <Reading of={reading} problem="The views could not be read." />
      <Problems problems={problems} look="problem" />
    </div>
  )
}

interface ListProps {
  title: string
  views: NamedView[] | undefined
  onRemove: (id: string) => Promise<string[]>
  /** Lets everybody begin with the columns of a view. */
  onChooseDefault?: (id: string | undefined) => void
}

function List({ title, views = [], onRemove, onChooseDefault }: ListProps) {
  if (views.length === 0) return null
  return (
    <section aria-label={title}>
      <h2 class="caption">{title}</h2>
      <ul>
        {views.map(({ id, name, shared, mayChange, isDefault = false }) => (
          <li key={id} class="across">
            <a href={hrefOfView(id)} aria-current={id === openedView.value?.id ? 'page' : undefined}>
              {name}
            </a>
            {mayChange && (
              <Confirm
                title={`Delete the view “${name}”?`}
                label={
                  <>
                    Delete<span class="hidden-visually"> {name}</span>
                  </>
                }
                confirmLabel="Delete the view"
                look="danger"
                onConfirm={() => onRemove(id)}
              >
                {shared
                  ? 'It is deleted for everybody, and its link then leads nowhere.'
                  : 'Its link then leads nowhere.'}
              </Confirm>
            )}
            {onChooseDefault && (
              <label class="check" title="Everybody’s cards, columns and filters begin with its columns.">
                <input
                  type="checkbox"
                  checked={isDefault}
                  onChange={() => onChooseDefault(isDefault ? undefined : id)}
                />
                <span>
                  Default columns<span class="hidden-visually">: {name}</span>
                </span>
              </label>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface NewProps {
  /** The id of the view that is open. After another one has been opened or saved, the form is empty. */
  opened: string | undefined
  isBusy: boolean
  onSave: (values: { name: string; shared: boolean }) => void
}

/** The form that saves filter, order and columns by a name. */
function NewView({ opened, isBusy, onSave }: NewProps) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  // A new form would lose the focus.
  useEffect(() => {
    setName('')
    setShared(false)
  }, [opened])
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (name.trim() !== '') onSave({ name: name.trim(), shared })
  }
  return (
    <form class="stack" onSubmit={submit}>
      <TextInput
        aria-label="Name of the view"
        placeholder="Save filter, order, columns as…"
        required
        maxLength={60}
        value={name}
        onChange={setName}
      />
      {mayShareViews() && (
        <Check checked={shared} onChange={setShared}>
          Share with everybody
        </Check>
      )}
      <Button type="submit" isBusy={isBusy}>
        Save view
      </Button>
    </form>
  )
}
